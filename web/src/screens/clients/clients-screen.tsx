import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/api-problem.ts'
import { createClients } from '../../api/clients.ts'
import type { NewClient, RegisteredClient } from '../../api/types.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ClientDialog } from './client-dialog.tsx'
import { NewSecret } from './new-secret.tsx'

type Front =
  | { readonly what: 'new' }
  | { readonly what: 'change' | 'end' | 'renew'; readonly client: RegisteredClient }
  | { readonly what: 'secret'; readonly made: NewClient }

/** Apps in which people sign in with their account here; for administrators. */
export function ClientsScreen() {
  const { send, session } = useServices()
  const { value: clients, problem, reload } = useLoaded('clients', [], () => createClients(send).list())
  const [front, setFront] = useState<Front>()
  if (!session.person.value?.isAdministrator)
    return (
      <Page title={t('Apps')}>
        <EmptyState title={t('This is for administrators')}>
          <p>{t('Ask one of them for what you need.')}</p>
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
        {t('People sign in to them with their account here. Those of the settings are not listed.')}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {clients === undefined && !problem && <Skeleton as="rows" rows={3} cells="lines button button" />}
      {clients?.length === 0 && (
        <EmptyState title={t('No apps yet')}>
          <p>{t('Add one with its name and the address it comes back to.')}</p>
        </EmptyState>
      )}
      <ul class="rows">
        {clients?.map((client) => (
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
  const { send, toasts } = useServices()
  const clients = createClients(send)
  const run = (work: Promise<unknown>, then: (result: unknown) => void) =>
    void work.then(then, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  if (front.what === 'secret') return <NewSecret made={front.made} onClose={onDone} />
  if (front.what === 'new') return <ClientDialog client={undefined} onDone={onDone} onClose={onClose} />
  const { client, what } = front
  if (what === 'change') return <ClientDialog client={client} onDone={onDone} onClose={onClose} />
  if (what === 'renew')
    return (
      <ConfirmDialog
        title={t('A new secret for {name}?', { name: client.name })}
        text={t('The one before stops working within seconds.')}
        confirmLabel={t('Make it')}
        onConfirm={() =>
          run(clients.renewSecret(client.id), (made) => onFront({ what: 'secret', made: made as NewClient }))
        }
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={t('End {name}?', { name: client.name })}
      text={t('Nobody signs in to it any more, and its tokens stop working within 30 seconds.')}
      confirmLabel={t('End it')}
      onConfirm={() => run(clients.end(client.id), onDone)}
      onClose={onClose}
    />
  )
}
