import { useState } from 'preact/hooks'
import type { ClientCreated, RegisteredClient } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { ChoiceField, NameField, TextAreaField, TextField } from '../../forms/fields.tsx'
import { Form, type FormState, useForm } from '../../forms/form.tsx'
import { useServices } from '../../services/services.ts'
import { t, tx } from '../../texts/text.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { AdministrationTabs, AdministratorsOnly, CopiedName, clientsPath, TabSection } from './catalogs.tsx'

/** The dialog in front of the list. */
type OpenDialog =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'delete' | 'renew'; readonly client: RegisteredClient }
  | { readonly kind: 'secret'; readonly created: ClientCreated }

/** Lets administrators manage the apps to which users can sign in with their account here. */
export function ClientsScreen() {
  const { session, tracker } = useServices()
  const { value, problem, reload } = useLoaded('clients', [], () => tracker.call('GET /ext/clients'))
  const [dialog, setDialog] = useState<OpenDialog>()
  if (!session.person.value?.isAdministrator) return <AdministratorsOnly title={t('Apps')} />
  const close = () => setDialog(undefined)
  const done = () => {
    close()
    reload()
  }
  return (
    <Page
      title={t('Administration')}
      actions={
        <button type="button" class="button primary" onClick={() => setDialog({ kind: 'new' })}>
          <Icon name="plus" />
          <span>{t('New app')}</span>
        </button>
      }
    >
      <AdministrationTabs current={clientsPath} />
      <TabSection
        label={t('Apps')}
        about={t(
          'Users can sign in to these apps with their account. Apps that are set up in the server’s settings are not listed.',
        )}
      >
        {problem && <LoadProblem problem={problem} onRetry={reload} />}
        {value === undefined && !problem && <Skeleton as="rows" rows={3} cells="lines button button" />}
        {value?.clients.length === 0 && (
          <EmptyState icon="link" title={t('No apps yet')}>
            <p>{t('Add one with its name and its callback address.')}</p>
          </EmptyState>
        )}
        <ul class="rows">
          {value?.clients.map((client) => (
            <ClientRow key={client.id} client={client} onChoose={(kind) => setDialog({ kind, client })} />
          ))}
        </ul>
      </TabSection>
      {dialog && <CurrentDialog dialog={dialog} onOpen={setDialog} onDone={done} onClose={close} />}
    </Page>
  )
}

interface ClientRowProps {
  readonly client: RegisteredClient
  onChoose(kind: 'edit' | 'delete' | 'renew'): void
}

const ClientRow = ({ client, onChoose }: ClientRowProps) => {
  const { id, name, redirectUris, hasSecret, isFirstParty } = client
  return (
    <li class="row">
      <span class="row-text">
        <bdi class="row-name">{name}</bdi>
        <span class="quiet-text line">{redirectUris.join(', ')}</span>
        <CopiedName name={id} />
      </span>
      <span class="setting-states">
        <span class="setting-state">{hasSecret ? t('With a secret') : t('Without a secret')}</span>
        <span class="setting-state">{isFirstParty ? t('First-party app') : t('Asks for consent')}</span>
      </span>
      <Menu
        label={t('Actions for {name}', { name })}
        items={[
          { label: t('Edit…'), run: () => onChoose('edit') },
          ...(hasSecret ? [{ label: t('New secret…'), run: () => onChoose('renew') }] : []),
          { label: t('Delete…'), kind: 'danger', run: () => onChoose('delete') },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  )
}

interface CurrentDialogProps {
  readonly dialog: OpenDialog
  onOpen(dialog: OpenDialog): void
  onDone(): void
  onClose(): void
}

function CurrentDialog({ dialog, onOpen, onDone, onClose }: CurrentDialogProps) {
  const { toasts, tracker } = useServices()
  const reportFailure = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  const showSecret = (created: ClientCreated) => onOpen({ kind: 'secret', created })
  const formProps = { onCreated: showSecret, onSaved: onDone, onClose }
  if (dialog.kind === 'secret') return <ClientSecretDialog created={dialog.created} onClose={onDone} />
  if (dialog.kind === 'new') return <ClientFormDialog client={undefined} {...formProps} />
  const { client, kind } = dialog
  if (kind === 'edit') return <ClientFormDialog client={client} {...formProps} />
  if (kind === 'renew')
    return (
      <ConfirmDialog
        title={t('Generate a new secret for {name}?', { name: client.name })}
        text={t('The current secret will stop working within seconds.')}
        confirmLabel={t('Generate secret')}
        onConfirm={() =>
          void tracker
            .call('POST /ext/clients/secret', { body: { id: client.id } })
            .then(showSecret, reportFailure)
        }
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={t('Delete {name}?', { name: client.name })}
      text={t('Users can no longer sign in to it, and its tokens stop working within 30 seconds.')}
      confirmLabel={t('Delete')}
      onConfirm={() =>
        void tracker.call('DELETE /ext/clients', { body: { id: client.id } }).then(onDone, reportFailure)
      }
      onClose={onClose}
    />
  )
}

interface ClientFormDialogProps {
  /** Undefined for a new app. */
  readonly client: RegisteredClient | undefined
  onCreated(created: ClientCreated): void
  onSaved(): void
  onClose(): void
}

const splitLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const kindChoices = [
  { id: 'server', name: 'On a server, with a secret' },
  { id: 'public', name: 'In the browser or on a device, without a secret' },
] as const

const consentChoices = [
  { id: 'ask', name: 'Users are asked for consent' },
  { id: 'skip', name: 'Users are not asked: it is a first-party app' },
] as const

const defaultScopes = 'openid profile offline_access email'

const valuesOf = (client: RegisteredClient | undefined) => ({
  name: client?.name ?? '',
  kind: client?.hasSecret === false ? 'public' : 'server',
  redirectUris: client?.redirectUris.join('\n') ?? '',
  postLogoutRedirectUris: client?.postLogoutRedirectUris.join('\n') ?? '',
  scopes: client?.scopes.join(' ') ?? defaultScopes,
  consent: client?.isFirstParty ? 'skip' : 'ask',
})

/** Creates an app, or edits its properties, such as the callback addresses. */
function ClientFormDialog({ client, onCreated, onSaved, onClose }: ClientFormDialogProps) {
  const { tracker } = useServices()
  const form = useForm({
    initial: valuesOf(client),
    async submit(values) {
      const properties = {
        name: values.name,
        redirectUris: splitLines(values.redirectUris),
        postLogoutRedirectUris: splitLines(values.postLogoutRedirectUris),
        scopes: values.scopes.split(/\s+/).filter((scope) => scope !== ''),
        isFirstParty: values.consent === 'skip',
        requiresPkce: client?.requiresPkce ?? true,
      }
      if (client === undefined) {
        const body = { ...properties, hasSecret: values.kind === 'server' }
        onCreated(await tracker.call('POST /ext/clients', { body }))
      } else {
        await tracker.call('PATCH /ext/clients', { body: { id: client.id, ...properties } })
        onSaved()
      }
    },
  })
  return (
    <Dialog title={client ? t('Edit {name}', { name: client.name }) : t('New app')} onClose={onClose}>
      <Form form={form} submitLabel={client ? t('Save') : t('Create app')} onCancel={onClose}>
        <ClientFields form={form} isNew={client === undefined} />
      </Form>
    </Dialog>
  )
}

type ClientValues = ReturnType<typeof valuesOf>

const ClientFields = ({
  form,
  isNew,
}: {
  readonly form: FormState<ClientValues>
  readonly isNew: boolean
}) => (
  <>
    <NameField form={form} hint={t('The name that people see.')} />
    {isNew && (
      <ChoiceField form={form} name="kind" label={t('Where it runs')} required choices={kindChoices} />
    )}
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
      hint={t('One per line.')}
    />
    <TextField
      form={form}
      name="scopes"
      label={t('Scopes')}
      hint={t('svc.api lets the app act for its users.')}
      required
    />
    <ChoiceField form={form} name="consent" label={t('Consent')} required choices={consentChoices} />
  </>
)

/** Shows the id of an app and, only this once, its secret, if it has one. */
const ClientSecretDialog = ({ created, onClose }: { readonly created: ClientCreated; onClose(): void }) => (
  <Dialog title={created.client.name} onClose={onClose}>
    <p>{tx('Client ID: {id}', { id: <code>{created.client.id}</code> })}</p>
    {created.secret === null ? (
      <div class="form-buttons">
        <button type="button" class="button primary" data-autofocus onClick={onClose}>
          {t('Done')}
        </button>
      </div>
    ) : (
      <>
        <p>{t('Copy its secret now: it is only shown once.')}</p>
        <Secret label={t('Secret')} text={created.secret} onDone={onClose} />
      </>
    )}
  </Dialog>
)
