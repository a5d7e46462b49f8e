import { useState } from 'preact/hooks'
import type { NewClient, RegisteredClient } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { ChoiceField, NameField, TextAreaField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { type FormState, useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Secret } from '../../ui/copy-secret.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

type Front =
  | { readonly what: 'new' }
  | { readonly what: 'change' | 'end' | 'renew'; readonly client: RegisteredClient }
  | { readonly what: 'secret'; readonly made: NewClient }

/** Apps that users sign in to with their account here; for administrators. */
export function ClientsScreen() {
  const { session, tracker } = useServices()
  const { value, problem, reload } = useLoaded('clients', [], () => tracker.call('GET /ext/clients'))
  const [front, setFront] = useState<Front>()
  if (!session.person.value?.isAdministrator)
    return (
      <Page title={t('Apps')}>
        <EmptyState title={t('Administrators only')}>
          <p>{t('Ask an administrator for what you need.')}</p>
        </EmptyState>
      </Page>
    )
  const close = () => setFront(undefined)
  const done = () => {
    close()
    reload()
  }
  return (
    <Page
      title={t('Apps')}
      above={<a href="/administration">{t('Administration')}</a>}
      actions={
        <button type="button" class="button primary" onClick={() => setFront({ what: 'new' })}>
          <Icon name="plus" />
          <span>{t('New app')}</span>
        </button>
      }
    >
      <p class="quiet-text">
        {t('Users sign in to them with their account here. Apps from the settings are not listed.')}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={3} cells="lines button button" />}
      {value?.clients.length === 0 && (
        <EmptyState title={t('No apps yet')}>
          <p>{t('Add one with its name and its callback address.')}</p>
        </EmptyState>
      )}
      <ul class="rows">
        {value?.clients.map((client) => (
          <ClientRow key={client.id} client={client} onChoose={(what) => setFront({ what, client })} />
        ))}
      </ul>
      {front && <InFront front={front} onFront={setFront} onDone={done} onClose={close} />}
    </Page>
  )
}

interface ClientRowProps {
  readonly client: RegisteredClient
  onChoose(what: 'change' | 'end' | 'renew'): void
}

const ClientRow = ({ client, onChoose }: ClientRowProps) => {
  const { id, name, redirectUris, hasSecret } = client
  const named = <span class="visually-hidden"> {name}</span>
  return (
    <li class="row">
      <span class="row-text" dir="auto">
        {name}
        <span class="quiet-text line">{id}</span>
        <span class="quiet-text line">{redirectUris.join(', ')}</span>
      </span>
      <button type="button" class="button" onClick={() => onChoose('change')}>
        {t('Change')}
        {named}
      </button>
      {hasSecret && (
        <button type="button" class="button" onClick={() => onChoose('renew')}>
          {t('New secret')}
          {named}
        </button>
      )}
      <button type="button" class="button" onClick={() => onChoose('end')}>
        {t('End it')}
        {named}
      </button>
    </li>
  )
}

interface InFrontProps {
  readonly front: Front
  onFront(front: Front): void
  onDone(): void
  onClose(): void
}

function InFront({ front, onFront, onDone, onClose }: InFrontProps) {
  const { toasts, tracker } = useServices()
  const run = <Result,>(work: Promise<Result>, then: (result: Result) => void) =>
    void work.then(then, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  if (front.what === 'secret') return <NewSecret made={front.made} onClose={onDone} />
  if (front.what === 'new') return <ClientDialog client={undefined} onDone={onDone} onClose={onClose} />
  const { client, what } = front
  if (what === 'change') return <ClientDialog client={client} onDone={onDone} onClose={onClose} />
  if (what === 'renew')
    return (
      <ConfirmDialog
        title={t('A new secret for {name}?', { name: client.name })}
        text={t('The previous secret stops working within seconds.')}
        confirmLabel={t('Generate secret')}
        onConfirm={() =>
          run(tracker.call('POST /ext/clients/secret', { body: { id: client.id } }), (made) =>
            onFront({ what: 'secret', made }),
          )
        }
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={t('End {name}?', { name: client.name })}
      text={t('Users can no longer sign in to it, and its tokens stop working within 30 seconds.')}
      confirmLabel={t('End it')}
      onConfirm={() => run(tracker.call('DELETE /ext/clients', { body: { id: client.id } }), onDone)}
      onClose={onClose}
    />
  )
}

export interface ClientDialogProps {
  /** Undefined for a new one. */
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
  { id: 'ask', name: 'Users are asked for consent' },
  { id: 'own', name: 'First-party app: users are not asked' },
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

/** The properties of an app, and its callback addresses. */
function ClientDialog({ client, onDone, onClose }: ClientDialogProps) {
  const { tracker } = useServices()
  const [made, setMade] = useState<NewClient>()
  const form = useForm({
    initial: valuesOf(client),
    async submit(values) {
      const requested = {
        name: values.name,
        redirectUris: lines(values.redirectUris),
        postLogoutRedirectUris: lines(values.postLogoutRedirectUris),
        scopes: values.scopes.split(/\s+/).filter((scope) => scope !== ''),
        isFirstParty: values.isFirstParty === 'own',
        requiresPkce: client?.requiresPkce ?? true,
      }
      if (client === undefined) {
        const body = { ...requested, hasSecret: values.kind === 'server' }
        setMade(await tracker.call('POST /ext/clients', { body }))
      } else {
        await tracker.call('PATCH /ext/clients', { body: { id: client.id, ...requested } })
        onDone()
      }
    },
  })
  if (made !== undefined) return <NewSecret made={made} onClose={onDone} />
  return (
    <Dialog title={client ? t('Change {name}', { name: client.name }) : t('New app')} onClose={onClose}>
      <Form form={form} submitLabel={client ? t('Save') : t('Create app')} onCancel={onClose}>
        <Fields form={form} isNew={client === undefined} />
      </Form>
    </Dialog>
  )
}

type Values = ReturnType<typeof valuesOf>

const Fields = ({ form, isNew }: { readonly form: FormState<Values>; readonly isNew: boolean }) => (
  <>
    <NameField form={form} hint={t('The name that people see.')} />
    {isNew && <ChoiceField form={form} name="kind" label={t('Where it runs')} required choices={kinds} />}
    <TextAreaField
      form={form}
      name="redirectUris"
      label={t('Callback addresses')}
      hint={t('One per line, compared exactly.')}
      required
    />
    <TextAreaField
      form={form}
      name="postLogoutRedirectUris"
      label={t('Addresses after sign-out')}
      hint={t('One per line; optional.')}
    />
    <TextField
      form={form}
      name="scopes"
      label={t('Scopes')}
      hint={t('svc.api lets it act for users here.')}
      required
    />
    <ChoiceField form={form} name="isFirstParty" label={t('Consent')} required choices={consents} />
  </>
)

/** The data that the app needs; its secret is only shown once. */
const NewSecret = ({ made, onClose }: { readonly made: NewClient; onClose(): void }) => (
  <Dialog title={made.client.name} onClose={onClose}>
    <p>
      {t('Its client_id is')} <code>{made.client.id}</code>
    </p>
    {made.secret === null ? (
      <div class="form-buttons">
        <button type="button" class="button primary" data-autofocus onClick={onClose}>
          {t('Done')}
        </button>
      </div>
    ) : (
      <>
        <p>{t('Copy its secret now: it is only shown once.')}</p>
        <Secret label={t('Secret')} text={made.secret} onDone={onClose} />
      </>
    )}
  </Dialog>
)
