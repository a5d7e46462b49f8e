import { useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { ChoiceField, NameField, SelectField, TextAreaField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'

type Project = RecordOf<'project'>

/** The API compares this timestamp to find changes by others. */
const versionOf = ({ updatedAt, createdAt }: Project): string => updatedAt ?? createdAt

/** Without the extensions, the last three are not shown, and ignored. */
const valuesOf = ({ name, organizationId, description, key = '', color }: Project) => ({
  name,
  organizationId,
  description: description ?? '',
  key,
  color: color ?? '',
})

/** Changes a project, based on its state when the page was opened. A change by another user is shown, never overwritten. */
export function ProjectForm({ project }: { readonly project: Project }) {
  const { api, configuration, toasts } = useServices()
  const { id } = project
  const [base, setBase] = useState(project)
  const [theirs, setTheirs] = useState<Project>()
  const organizations = useListing('organization', catalogQuery)
  const form = useForm({
    draft: `project-${id}`,
    initial: valuesOf(base),
    async submit(values) {
      const expectedVersion = versionOf(theirs ?? base)
      try {
        const color = (values.color || null) as NonNullable<Project['color']> | null
        await api.update('project', { id, ...values, color, expectedVersion })
        rebase(await api.get('project', id))
        toasts.show({ kind: 'done', text: t('{name} was saved.', { name: values.name }) })
      } catch (error) {
        if (!(error instanceof TrackerError && error.status === 409) || error.errors.key) throw error
        const current = await api.get('project', id)
        if (versionOf(current) === expectedVersion) throw error
        setTheirs(current)
        throw new TrackerError(409, t('Someone else has changed this project in the meantime.'))
      }
    },
  })
  const rebase = (current: Project) => {
    setBase(current)
    setTheirs(undefined)
    form.follow(valuesOf(current))
  }
  const keepTheirs = () => {
    if (theirs) rebase(theirs)
    form.discard()
  }
  return (
    <>
      {theirs && <Conflict theirs={theirs} mine={form.values.value.name} onKeepTheirs={keepTheirs} />}
      <Form form={form} submitLabel={theirs ? t('Save mine anyway') : t('Save')} onDone={form.discard}>
        <NameField form={form} />
        <SelectField
          form={form}
          name="organizationId"
          label={t('Organization')}
          required
          choices={organizations.rows}
        />
        {configuration.extensions && (
          <>
            <TextAreaField form={form} name="description" label={t('Description')} />
            <TextField
              form={form}
              name="key"
              label={t('Key')}
              hint={t(
                'The first part of addresses such as MBA-12. Former addresses still lead to their assignments.',
              )}
              required
            />
            <ChoiceField form={form} name="color" label={t('Color')} choices={colorChoices} />
          </>
        )}
      </Form>
    </>
  )
}

interface ConflictProps {
  readonly theirs: Project
  readonly mine: string
  onKeepTheirs(): void
}

const Conflict = ({ theirs, mine, onKeepTheirs }: ConflictProps) => (
  <div class="conflict">
    <dl class="facts">
      <dt>{t('Theirs')}</dt>
      <dd dir="auto">{theirs.name}</dd>
      <dt>{t('Yours')}</dt>
      <dd dir="auto">{mine}</dd>
    </dl>
    <button type="button" class="button" onClick={onKeepTheirs}>
      {t('Keep theirs')}
    </button>
  </div>
)
