import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { SelectField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'

export function NewProjectDialog({ onClose }: { onClose(): void }) {
  const { api, router, session } = useServices()
  const organizations = useListing('organization', catalogQuery)
  const form = useForm({
    draft: 'new-project',
    initial: { name: '', organizationId: '' },
    async submit(values) {
      const project = await api.create('project', values)
      router.go(`/projects/${project.id}`)
    },
  })
  const hasNone = !organizations.isLoading && organizations.rows.length === 0
  return (
    <Dialog title={t('New project')} onClose={onClose}>
      {hasNone && (
        <p class="form-note">
          {t('A project belongs to an organization, and there is none yet.')}{' '}
          {session.person.value?.isAdministrator
            ? t('Create one first.')
            : t('Ask an administrator to create one.')}
        </p>
      )}
      <Form form={form} submitLabel={t('Create project')} onCancel={onClose} onDone={onClose}>
        <TextField form={form} name="name" label={t('Name')} required autofocus />
        <SelectField
          form={form}
          name="organizationId"
          label={t('Organization')}
          hint={
            session.person.value?.isAdministrator
              ? t('New organizations are made under Admin, Organizations.')
              : t('Administrators make new organizations.')
          }
          required
          choices={organizations.rows}
        />
      </Form>
    </Dialog>
  )
}
