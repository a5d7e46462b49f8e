import { useEffect } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf, withFieldLabel } from '../../api/problems.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import { idsIn, toggleId } from '../../assignment/new-assignment-chips.tsx'
import { useListing } from '../../data/use-listing.ts'
import { Field, reject } from '../../forms/field.tsx'
import { TextField } from '../../forms/fields.tsx'
import { Form, type FormState, useForm } from '../../forms/form.tsx'
import { type Services, useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DescriptionTextField, newOrganizationId, OrganizationField } from '../../ui/form-fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ChoiceChip, matchesWords } from '../../ui/option-search.tsx'
import { findPeople, PersonAvatar } from '../../ui/people.tsx'

/** Creates a project, and a new organization for it if the user names one. */
export function NewProjectDialog({ onClose }: { onClose(): void }) {
  const { configuration } = useServices()
  const form = useNewProjectForm()
  const { name, organizationId } = form.values.value
  const key = keyFrom(name)
  return (
    <Dialog title={t('New project')} onClose={onClose}>
      <div class="new-record">
        <Form form={form} submitLabel={t('Create project')} onCancel={onClose} onDone={onClose}>
          <TextField
            form={form}
            name="name"
            label={t('Name')}
            placeholder={t('Name of the project')}
            required
            autofocus
            isLabelHidden
          />
          {configuration.extensions && <DescriptionTextField form={form} isLabelHidden />}
          <div class="choice-chips">
            <OrganizationField form={form} required onNew={(typed) => form.set('organizationName', typed)} />
            {configuration.extensions && (
              <TextField form={form} name="key" label={t('Key')} placeholder={key || t('Automatic')} />
            )}
            {configuration.extensions && <ColorChip form={form} />}
            <MembersChip form={form} />
          </div>
          {organizationId === newOrganizationId && (
            <TextField
              form={form}
              name="organizationName"
              label={t('Name of the new organization')}
              required
            />
          )}
        </Form>
      </div>
    </Dialog>
  )
}

type ChipProps = { readonly form: FormState<ReturnType<typeof initialValues>> }

function ColorChip({ form }: ChipProps) {
  const { color } = form.values.value
  const label = t('Color')
  const options = colorChoices.map((choice) => ({
    id: choice.id,
    name: t(choice.name),
    mark: <span class="label-dot" data-color={choice.color ?? 'gray'} />,
  }))
  const chosen = options.find(({ id }) => id !== '' && id === color)
  return (
    <Field form={form} name="color" label={label} isLabelHidden>
      {(attributes) => (
        <ChoiceChip
          attributes={attributes}
          label={label}
          text={chosen?.name ?? label}
          mark={chosen?.mark ?? <span class="label-dot" data-color="gray" />}
          isEmpty={chosen === undefined}
          chosenIds={[color]}
          find={async (text) => options.filter(({ name }) => matchesWords(name, text))}
          onChoose={({ id }) => form.set('color', id)}
        />
      )}
    </Field>
  )
}

/** Chooses further members. The creator of a project is one anyway. */
function MembersChip({ form }: ChipProps) {
  const services = useServices()
  const { people, session } = services
  const ids = idsIn(form.values.value.memberIds)
  const [first = ''] = ids
  const label = t('Members')
  const toggle = (id: string) => form.set('memberIds', toggleId(form.values.peek().memberIds, id))
  return (
    <Field form={form} name="memberIds" label={label} isLabelHidden>
      {(attributes) => (
        <ChoiceChip
          attributes={attributes}
          label={label}
          text={[label, people.nameOf(first)][ids.length] ?? t('{count} members', { count: ids.length })}
          mark={ids.length === 1 ? <PersonAvatar id={first} isDecorative /> : <Icon name="people" />}
          isEmpty={ids.length === 0}
          isMultiple
          chosenIds={ids}
          find={async (text, signal) =>
            (await findPeople(services, undefined, text, signal)).filter(
              ({ id }) => id !== session.person.value?.id,
            )
          }
          onChoose={({ id }) => toggle(id)}
        />
      )}
    </Field>
  )
}

/** The project stays if a member cannot be added, and a message says why. */
async function addMembers({ api, people, toasts }: Services, projectId: string, ids: readonly string[]) {
  for (const userId of ids)
    await api.create('userProject', { projectId, userId }).catch((error) =>
      toasts.show({
        kind: 'problem',
        text: t('{name} was not added: {reason}', { name: people.nameOf(userId), reason: sentenceOf(error) }),
      }),
    )
}

const initialValues = (organizationId = '') => ({
  name: '',
  description: '',
  key: '',
  color: '',
  /** Separated by spaces, because the values of a form are texts. */
  memberIds: '',
  organizationId,
  organizationName: '',
})

/** Returns the form. At first, it has the organization of the newest project. */
function useNewProjectForm() {
  const services = useServices()
  const { api, configuration, router } = services
  const newest = useListing('project', { sortColumn: 'createdAt', sortOrder: 'DESC', pageSize: 1 })
  const initial = initialValues(newest.rows[0]?.organizationId)
  const form = useForm({
    draft: 'new-project',
    initial,
    async submit({ name, description, key, color, memberIds, organizationId, organizationName }) {
      const id =
        organizationId === newOrganizationId ? await createOrganization(organizationName) : organizationId
      const project = await api.create('project', {
        name,
        organizationId: id,
        ...(configuration.extensions && description !== '' && { description }),
        // The server derives a free key from the name if none is given.
        ...(configuration.extensions && key.trim() !== '' && { key: key.trim().toUpperCase() }),
        ...(configuration.extensions && color !== '' && { color: color as RecordOf<'project'>['color'] }),
      })
      await addMembers(services, project.id, idsIn(memberIds))
      router.go(`/projects/${project.id}`)
    },
  })
  /**
   * Creates the organization and selects it, so that a retry after an error in the project does not create it
   * again.
   */
  const createOrganization = async (name: string) => {
    const { id } = await api.create('organization', { name }).catch((error) => {
      const messages = error instanceof TrackerError ? error.errors.name : undefined
      if (messages === undefined) throw error
      const label = t('Name of the new organization')
      return reject({ organizationName: messages.map((message) => withFieldLabel(label, 'name', message)) })
    })
    form.set('organizationId', id)
    return id
  }
  useEffect(() => form.follow(initial), [initial.organizationId])
  return form
}

const initialsMax = 5
const lettersMax = 3

/** Returns the key that the server derives from a name, if no other project has it. Empty for the default. */
function keyFrom(name: string): string {
  const plain = name.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
  const words = plain.toUpperCase().match(/[A-Z0-9]+/g) ?? []
  const initials = words.map((word) => word.charAt(0)).join('')
  if (words.length > 1 && /^[A-Z]/.test(initials)) return initials.slice(0, initialsMax)
  return words.find((word) => /^[A-Z][A-Z0-9]/.test(word))?.slice(0, lettersMax) ?? ''
}
