import { TrackerError } from '#tracker-client'
import { withFieldLabel } from '../../api/problems.ts'
import { NameField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { reject, useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { newOrganizationId, OrganizationField } from '../../ui/organization-field.tsx'

/** Creates a project, and its organization if it is new. */
export function NewProjectDialog({ onClose }: { onClose(): void }) {
  const { api, router } = useServices()
  const form = useForm({
    draft: 'new-project',
    initial: { name: '', organizationId: '', organizationName: '' },
    async submit({ name, organizationId, organizationName }) {
      const id =
        organizationId === newOrganizationId ? await createOrganization(organizationName) : organizationId
      const project = await api.create('project', { name, organizationId: id })
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
  return (
    <Dialog title={t('New project')} onClose={onClose}>
      <Form form={form} submitLabel={t('Create project')} onCancel={onClose} onDone={onClose}>
        <NameField form={form} />
        <OrganizationField form={form} required onNew={(name) => form.set('organizationName', name)} />
        {form.values.value.organizationId === newOrganizationId && (
          <TextField form={form} name="organizationName" label={t('Name of the new organization')} required />
        )}
      </Form>
    </Dialog>
  )
}
