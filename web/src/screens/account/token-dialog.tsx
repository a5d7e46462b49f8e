import { useState } from 'preact/hooks'
import { createAccess } from '../../api/access.ts'
import { loadAll } from '../../api/load-all.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { SelectField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Secret } from '../../ui/secret.tsx'
import { scopeChoices, scopesOf } from './scopes.ts'

const everyProject = 'all'
/** Pages of projects to choose from. */
const pagesMax = 3

/** Asks what the token is for, then shows it, once only. */
export function TokenDialog({ onClose }: { onClose(): void }) {
  const { api, send } = useServices()
  const [secret, setSecret] = useState<string>()
  const { value: projects } = useLoaded('own projects', ['project'], (signal) =>
    loadAll(api, 'project', { sortColumn: 'name' }, { pagesMax, signal }),
  )
  const form = useForm({
    initial: { name: '', scopes: '', projectIds: everyProject, expiresAt: '90' },
    async submit({ name, scopes, projectIds, expiresAt }) {
      const made = await createAccess(send).makeToken({
        name,
        scopes: scopesOf(scopes),
        projectIds: projectIds === everyProject ? null : [projectIds],
        expiresAt: new Date(Date.now() + Number(expiresAt) * 86_400_000).toISOString(),
      })
      setSecret(made.secret)
    },
  })
  if (secret !== undefined)
    return (
      <Dialog title={t('Your new token')} onClose={onClose}>
        <p>{t('Copy it now, and keep it like a password: it is shown this once.')}</p>
        <Secret label={t('Token')} text={secret} onDone={onClose} />
      </Dialog>
    )
  return (
    <Dialog title={t('New token')} onClose={onClose}>
      <Form form={form} submitLabel={t('Make the token')} onCancel={onClose}>
        <TextField
          form={form}
          name="name"
          label={t('Name')}
          hint={t('What will use it.')}
          required
          autofocus
        />
        <SelectField
          form={form}
          name="scopes"
          label={t('What it may do')}
          required
          choices={scopeChoices.map(({ id, name }) => ({ id, name: t(name) }))}
        />
        <SelectField
          form={form}
          name="projectIds"
          label={t('Where')}
          required
          choices={[{ id: everyProject, name: t('In all my projects') }, ...(projects?.rows ?? [])]}
        />
        <SelectField
          form={form}
          name="expiresAt"
          label={t('For how long')}
          required
          choices={[7, 30, 90, 365].map((days) => ({ id: String(days), name: t('{days} days', { days }) }))}
        />
      </Form>
    </Dialog>
  )
}
