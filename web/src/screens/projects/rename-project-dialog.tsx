import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { ApiProblem } from '../../api/api-problem.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { SelectField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'

type Project = RecordOf<'project'>

/** The moment the interface compares: of the last change, or of the beginning. */
const versionOf = ({ updatedAt, createdAt }: Project): string => updatedAt ?? createdAt

/** Changes a project as it was when the dialog opened; a change made meanwhile is shown, not overwritten. */
export function RenameProjectDialog({ project, onClose }: { readonly project: Project; onClose(): void }) {
  const { api, toasts } = useServices()
  const [base] = useState(project)
  const [theirs, setTheirs] = useState<Project>()
  const organizations = useListing('organization', catalogQuery)
  const form = useForm({
    draft: `project-${project.id}`,
    initial: { name: project.name, organizationId: project.organizationId },
    async submit(values) {
      try {
        await api.update('project', { id: project.id, ...values, expectedVersion: versionOf(theirs ?? base) })
        toasts.show({ kind: 'done', text: t('{name} was saved.', { name: values.name }) })
      } catch (error) {
        if (!(error instanceof ApiProblem && error.status === 409)) throw error
        const now = await api.get('project', project.id)
        if (versionOf(now) === versionOf(theirs ?? base)) throw error
        setTheirs(now)
        throw new ApiProblem(409, t('Somebody else has changed this project meanwhile.'))
      }
    },
  })
  const keepTheirs = () => {
    form.discard()
    onClose()
  }
  return (
    <Dialog title={t('Rename project')} onClose={onClose}>
      {theirs && <Conflict theirs={theirs} mine={form.values.value.name} onKeepTheirs={keepTheirs} />}
      <Form
        form={form}
        submitLabel={theirs ? t('Save mine anyway') : t('Save')}
        onCancel={onClose}
        onDone={onClose}
      >
        <TextField form={form} name="name" label={t('Name')} required autofocus />
        <SelectField
          form={form}
          name="organizationId"
          label={t('Organization')}
          required
          choices={organizations.rows}
        />
      </Form>
    </Dialog>
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
