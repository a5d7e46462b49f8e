import { useState } from 'preact/hooks'
import { createClients } from '../../api/clients.ts'
import type { NewClient, RegisteredClient } from '../../api/types.ts'
import { SelectField, TextAreaField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { type FormState, useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { NewSecret } from './new-secret.tsx'

export interface ClientDialogProps {
  /** None for a new one. */
  readonly client: RegisteredClient | undefined
  onDone(): void
  onClose(): void
}

const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const kinds = [
  { id: 'server', name: 'On a server: it has a secret' },
  { id: 'public', name: 'In the browser or on a device: it has none' },
] as const

const consents = [
  { id: 'ask', name: 'People are asked whether it may' },
  { id: 'own', name: 'It is ours: nobody is asked' },
] as const

const scopesByDefault = 'openid profile offline_access email'

const valuesOf = (client: RegisteredClient | undefined) => ({
  name: client?.name ?? '',
  kind: client?.hasSecret === false ? 'public' : 'server',
  redirectUris: client?.redirectUris.join('\n') ?? '',
  postLogoutRedirectUris: client?.postLogoutRedirectUris.join('\n') ?? '',
  scopes: client?.scopes.join(' ') ?? scopesByDefault,
  isFirstParty: client?.isFirstParty ? 'own' : 'ask',
})

/** What an app is, and where it may be answered. */
export function ClientDialog({ client, onDone, onClose }: ClientDialogProps) {
  const { send } = useServices()
  const [made, setMade] = useState<NewClient>()
  const form = useForm({
    initial: valuesOf(client),
    async submit(values) {
      const wish = {
        name: values.name,
        redirectUris: lines(values.redirectUris),
        postLogoutRedirectUris: lines(values.postLogoutRedirectUris),
        scopes: values.scopes.split(/\s+/).filter((scope) => scope !== ''),
        isFirstParty: values.isFirstParty === 'own',
        requiresPkce: client?.requiresPkce ?? true,
      }
      const clients = createClients(send)
      if (client === undefined) setMade(await clients.make({ ...wish, hasSecret: values.kind === 'server' }))
      else {
        await clients.change({ id: client.id, ...wish })
        onDone()
      }
    },
  })
  if (made !== undefined) return <NewSecret made={made} onClose={onDone} />
  return (
    <Dialog title={client ? t('Change {name}', { name: client.name }) : t('New app')} onClose={onClose}>
      <Form form={form} submitLabel={client ? t('Save') : t('Make the app')} onCancel={onClose}>
        <Fields form={form} isNew={client === undefined} />
      </Form>
    </Dialog>
  )
}

type Values = ReturnType<typeof valuesOf>

const Fields = ({ form, isNew }: { readonly form: FormState<Values>; readonly isNew: boolean }) => (
  <>
    <TextField
      form={form}
      name="name"
      label={t('Name')}
      hint={t('As people are shown it.')}
      required
      autofocus
    />
    {isNew && (
      <SelectField
        form={form}
        name="kind"
        label={t('Where it runs')}
        required
        choices={kinds.map(({ id, name }) => ({ id, name: t(name) }))}
      />
    )}
    <TextAreaField
      form={form}
      name="redirectUris"
      label={t('Addresses of its callback')}
      hint={t('One a line, letter for letter.')}
      required
    />
    <TextAreaField
      form={form}
      name="postLogoutRedirectUris"
      label={t('Addresses after sign-out')}
      hint={t('One a line; none is needed.')}
    />
    <TextField
      form={form}
      name="scopes"
      label={t('What it may ask for')}
      hint={t('svc.api lets it act for people here.')}
      required
    />
    <SelectField
      form={form}
      name="isFirstParty"
      label={t('Whose it is')}
      required
      choices={consents.map(({ id, name }) => ({ id, name: t(name) }))}
    />
  </>
)
