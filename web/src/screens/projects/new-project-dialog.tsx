import { useEffect } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import { withFieldLabel } from '../../api/problems.ts'
import { useListing } from '../../data/use-listing.ts'
import { reject } from '../../forms/field.tsx'
import { TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DescriptionTextField, newOrganizationId, OrganizationField } from '../../ui/form-fields.tsx'

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

/** Returns the form. At first, it has the organization of the newest project. */
function useNewProjectForm() {
  const { api, configuration, router } = useServices()
  const newest = useListing('project', { sortColumn: 'createdAt', sortOrder: 'DESC', pageSize: 1 })
  const initial = {
    name: '',
    description: '',
    key: '',
    organizationId: newest.rows[0]?.organizationId ?? '',
    organizationName: '',
  }
  const form = useForm({
    draft: 'new-project',
    initial,
    async submit({ name, description, key, organizationId, organizationName }) {
      const id =
        organizationId === newOrganizationId ? await createOrganization(organizationName) : organizationId
      const project = await api.create('project', {
        name,
        organizationId: id,
        ...(configuration.extensions && description !== '' && { description }),
        // The server derives a free key from the name if none is given.
        ...(configuration.extensions && key.trim() !== '' && { key: key.trim().toUpperCase() }),
      })
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
