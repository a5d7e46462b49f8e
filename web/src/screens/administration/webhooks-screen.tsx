import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Webhook, WebhookDelivery } from '#tracker-client'
import { loadByIds } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t, tn, translateSentence } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/days.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { ProjectSubPage } from '../../ui/project-sub-page.tsx'
import { AdministrationTabs, AdministratorsOnly, TabSection, webhooksPath } from './catalogs.tsx'

/** The dialog in front of the list. */
type OpenDialog =
  | { readonly kind: 'new' }
  | { readonly kind: 'renew' | 'delete'; readonly webhook: Webhook }
  | { readonly kind: 'secret'; readonly name: string; readonly secret: string }

/** Manages the webhooks of a project. Without a project, administrators manage those of all projects. */
export function WebhooksScreen({ parameters: { projectId } }: ScreenProps) {
  const { session } = useServices()
  const [dialog, setDialog] = useState<OpenDialog>()
  const button = (
    <button type="button" class="button primary" onClick={() => setDialog({ kind: 'new' })}>
      <Icon name="plus" />
      <span>{t('New webhook')}</span>
    </button>
  )
  const list = <WebhookList projectId={projectId} dialog={dialog} onOpen={setDialog} />
  if (projectId !== undefined)
    return (
      <ProjectSubPage projectId={projectId} path="webhooks" title={t('Webhooks')}>
        <div class="page-note catalog-tools">
          <p class="quiet-text">
            {t(
              'Changes of this project are sent to these addresses. Each has a secret that signs its messages.',
            )}
          </p>
          {button}
        </div>
        {list}
      </ProjectSubPage>
    )
  if (!session.person.value?.isAdministrator) return <AdministratorsOnly title={t('Webhooks')} />
  return (
    <Page title={t('Administration')} actions={button}>
      <AdministrationTabs current={webhooksPath} />
      <TabSection
        label={t('Webhooks')}
        about={t(
          'Webhooks that are added here get the changes of all projects. The others are added in the settings of their project.',
        )}
      >
        {list}
      </TabSection>
    </Page>
  )
}

interface WebhookListProps {
  /** Undefined for the webhooks of all projects. */
  readonly projectId: string | undefined
  readonly dialog: OpenDialog | undefined
  onOpen(dialog: OpenDialog | undefined): void
}

function WebhookList({ projectId, dialog, onOpen }: WebhookListProps) {
  const { api, tracker } = useServices()
  const { value, problem, reload } = useLoaded(`webhooks-${projectId}`, [], async (signal) => {
    const { webhooks } = await tracker.call('GET /ext/webhooks', { query: { projectId } })
    const ids = projectId === undefined ? webhooks.flatMap((webhook) => webhook.projectId ?? []) : []
    return { webhooks, projects: await loadByIds(api, 'project', [...new Set(ids)], signal) }
  })
  const done = () => {
    onOpen(undefined)
    reload()
  }
  const placeOf = (webhook: Webhook) => {
    if (projectId !== undefined) return undefined
    if (webhook.projectId === null) return t('All projects')
    const name = value?.projects.get(webhook.projectId)?.name
    return (
      name && (
        <a dir="auto" href={projectPath(webhook.projectId, '/webhooks')}>
          {name}
        </a>
      )
    )
  }
  return (
    <>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={2} cells="lines button" />}
      {value?.webhooks.length === 0 && (
        <EmptyState icon="link" title={t('No webhooks yet')}>
          <p>{t('Add an address: from then on, each change is sent to it.')}</p>
        </EmptyState>
      )}
      <ul class="rows">
        {value?.webhooks.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            place={placeOf(webhook)}
            onChanged={reload}
            onOpen={(kind) => onOpen({ kind, webhook })}
          />
        ))}
      </ul>
      {dialog && <CurrentDialog dialog={dialog} projectId={projectId} onOpen={onOpen} onDone={done} />}
    </>
  )
}

interface CurrentDialogProps {
  readonly dialog: OpenDialog
  readonly projectId: string | undefined
  onOpen(dialog: OpenDialog | undefined): void
  onDone(): void
}

function CurrentDialog({ dialog, projectId, onOpen, onDone }: CurrentDialogProps) {
  const { toasts, tracker } = useServices()
  const reportFailure = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  const close = () => onOpen(undefined)
  if (dialog.kind === 'new')
    return (
      <NewWebhookDialog
        projectId={projectId}
        onCreated={(name, secret) => onOpen({ kind: 'secret', name, secret })}
        onClose={close}
      />
    )
  if (dialog.kind === 'secret')
    return (
      <Dialog title={dialog.name} onClose={onDone}>
        <p>{t('Copy its secret now: it is only shown once.')}</p>
        <Secret label={t('Secret')} text={dialog.secret} onDone={onDone} />
      </Dialog>
    )
  const { id } = dialog.webhook
  const name = nameOf(dialog.webhook)
  if (dialog.kind === 'renew')
    return (
      <ConfirmDialog
        title={t('Generate a new secret for {name}?', { name })}
        text={t('For another day, the current secret signs, too, so that the receiver can switch.')}
        confirmLabel={t('Generate secret')}
        onConfirm={() =>
          void tracker
            .call('POST /ext/webhook/rotate', { body: { id } })
            .then(({ secret }) => onOpen({ kind: 'secret', name, secret }), reportFailure)
        }
        onClose={close}
      />
    )
  return (
    <ConfirmDialog
      title={t('Delete {name}?', { name })}
      text={t('Nothing is sent to it any more, not even waiting messages. Its log is deleted, too.')}
      confirmLabel={t('Delete')}
      onConfirm={() => void tracker.call('DELETE /ext/webhook', { body: { id } }).then(onDone, reportFailure)}
      onClose={close}
    />
  )
}

const nameOf = ({ name, url }: Pick<Webhook, 'name' | 'url'>): string => name || url

/** Every URL begins like this, in all languages. */
const urlStart = 'https://'

interface NewWebhookDialogProps {
  readonly projectId: string | undefined
  onCreated(name: string, secret: string): void
  onClose(): void
}

function NewWebhookDialog({ projectId, onCreated, onClose }: NewWebhookDialogProps) {
  const { tracker } = useServices()
  const form = useForm({
    draft: `webhook-${projectId}`,
    initial: { url: '', name: '' },
    async submit({ url, name }) {
      const body = { url, name: name || null, projectId: projectId ?? null }
      const { webhook } = await tracker.call('POST /ext/webhook', { body })
      onCreated(nameOf(webhook), webhook.secret)
    },
  })
  return (
    <Dialog title={t('New webhook')} onClose={onClose}>
      <Form form={form} submitLabel={t('Create webhook')} onCancel={onClose}>
        <TextField
          form={form}
          name="url"
          label={t('URL')}
          placeholder={urlStart}
          hint={
            projectId === undefined
              ? t('Changes of all projects are sent to it.')
              : t('Changes of this project are sent to it.')
          }
          required
        />
        <TextField form={form} name="name" label={t('Name')} />
      </Form>
    </Dialog>
  )
}

interface WebhookRowProps {
  readonly webhook: Webhook
  /** Names the project whose changes are sent. Undefined on the page of that project. */
  readonly place: ComponentChildren
  onChanged(): void
  onOpen(kind: 'renew' | 'delete'): void
}

/** Few deliveries tell the state of a webhook; its log shows more of them. */
const deliveriesForState = 5
const deliveriesInLog = 20
/** A test message is sent within seconds, after which its result is shown. */
const outcomeMilliseconds = 2000

function WebhookRow({ webhook, place, onChanged, onOpen }: WebhookRowProps) {
  const { toasts, tracker } = useServices()
  const [isLogOpen, setLogOpen] = useState(false)
  const { id, active, name, url } = webhook
  const pageSize = isLogOpen ? deliveriesInLog : deliveriesForState
  const { value, problem, reload } = useLoaded(`deliveries-${id}-${pageSize}`, [], () =>
    tracker.call('GET /ext/webhook/deliveries', { query: { id, pageSize } }),
  )
  const deliveries = value?.result.data
  const isWaiting = active && deliveries?.[0]?.attempts.length === 0
  useEffect(() => {
    if (!isLogOpen || !isWaiting) return
    const timer = setTimeout(reload, outcomeMilliseconds)
    return () => clearTimeout(timer)
  }, [value])
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work()
      onChanged()
      reload()
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  const sendTest = async () => {
    await tracker.call('POST /ext/webhook/test', { body: { id } })
    setLogOpen(true)
  }
  const switchOnOrOff = () => tracker.call('PATCH /ext/webhook', { body: { id, active: !active } })
  return (
    <li class="webhook">
      <div class="row">
        <span class="row-text">
          <bdi class="row-name">{nameOf(webhook)}</bdi>
          {name && (
            <span class="quiet-text line" dir="ltr">
              {url}
            </span>
          )}
          <WebhookFacts webhook={webhook} place={place} />
          {deliveries && <LastDelivery webhook={webhook} deliveries={deliveries} />}
        </span>
        {deliveries && <StateChip {...stateOf(active, deliveries)} />}
        <button
          type="button"
          class="button quiet"
          aria-expanded={isLogOpen}
          onClick={() => setLogOpen(!isLogOpen)}
        >
          {t('Log')}
          <Icon name={isLogOpen ? 'up' : 'down'} />
          <span class="visually-hidden"> {url}</span>
        </button>
        <Menu
          label={t('Actions for {name}', { name: nameOf(webhook) })}
          items={[
            { label: t('Send a test'), run: () => void run(sendTest) },
            { label: active ? t('Pause') : t('Resume'), run: () => void run(switchOnOrOff) },
            { label: t('New secret…'), run: () => onOpen('renew') },
            { label: t('Delete…'), kind: 'danger', run: () => onOpen('delete') },
          ]}
        >
          <Icon name="more" />
        </Menu>
      </div>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {isLogOpen && deliveries && <WebhookLog id={id} deliveries={deliveries} run={run} />}
    </li>
  )
}

/** Says whose changes are sent, which of them, and who has added the webhook. */
function WebhookFacts({ webhook, place }: Pick<WebhookRowProps, 'webhook' | 'place'>) {
  const { people, session } = useServices()
  const { userId, resources, actions } = webhook
  const facts = [
    place,
    (resources || actions) &&
      t('only {types}', { types: [...(resources ?? []), ...(actions ?? [])].join(', ') }),
    userId !== session.person.value?.id && t('added by {name}', { name: people.nameOf(userId) }),
  ].filter(Boolean)
  return (
    <span class="quiet-text line">
      {facts.map((fact, index) => (
        <span key={index}>
          {index > 0 && ' · '}
          {fact}
        </span>
      ))}
    </span>
  )
}

interface DeliveriesProps {
  readonly webhook: Webhook
  /** The newest first. */
  readonly deliveries: readonly WebhookDelivery[]
}

/** Shows the outcome of the last attempt and what waits, and why a webhook is paused. */
function LastDelivery({ webhook: { active, pausedBecause, waiting }, deliveries }: DeliveriesProps) {
  const last = deliveries.find(({ attempts }) => attempts.length > 0)
  const attempt = last?.attempts[0]
  const facts = [
    attempt
      ? t('Last delivery {time}: {response}', {
          time: formatTimestamp(attempt.at),
          response: responseOf(attempt),
        })
      : t('Nothing has been sent yet'),
    waiting > 0 && tn(waiting, '1 message waiting', '{count} messages waiting'),
  ]
  return (
    <>
      <span class="quiet-text line">{facts.filter(Boolean).join(' · ')}</span>
      {!active && (
        <span class="quiet-text line">
          {t('Paused. {reason}', { reason: translateSentence(pausedBecause ?? '') })}
        </span>
      )}
    </>
  )
}

interface State {
  readonly text: string
  readonly color: 'green' | 'amber' | 'red' | undefined
}

/** A paused webhook whose last message failed was probably paused for that. */
function stateOf(isActive: boolean, deliveries: readonly WebhookDelivery[]): State {
  const last = deliveries.find(({ attempts }) => attempts.length > 0)
  const isFailing = last?.deliveredAt === null
  if (!isActive) return { text: t('Paused'), color: isFailing ? 'red' : undefined }
  return isFailing ? { text: t('Failing'), color: 'amber' } : { text: t('Active'), color: 'green' }
}

const StateChip = ({ text, color }: State) => (
  <span class="setting-state" data-color={color}>
    {text}
  </span>
)

interface WebhookLogProps extends Pick<DeliveriesProps, 'deliveries'> {
  readonly id: string
  run(work: () => Promise<unknown>): void
}

/** Lists the latest deliveries with their responses and durations. */
const WebhookLog = ({ id, deliveries, run }: WebhookLogProps) => {
  const { tracker } = useServices()
  return (
    <ul class="webhook-log" aria-label={t('Log')}>
      {deliveries.length === 0 && <li class="row quiet-text">{t('Nothing has been sent yet')}</li>}
      {deliveries.map((delivery) => (
        <li key={delivery.id} class="row">
          <span class="row-text">
            {delivery.type}
            <span class="quiet-text line">{whenOf(delivery)}</span>
          </span>
          <StateChip {...outcomeOf(delivery)} />
          <button
            type="button"
            class="button quiet"
            onClick={() =>
              run(() => tracker.call('POST /ext/webhook/replay', { body: { id, deliveryId: delivery.id } }))
            }
          >
            {t('Send again')}
            <span class="visually-hidden"> {delivery.messageId}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

type Attempt = WebhookDelivery['attempts'][number]

const responseOf = ({ status, error }: Attempt): string =>
  status === null ? translateSentence(error ?? '') : t('responded with {status}', { status })

function outcomeOf({ attempts: [attempt], deliveredAt }: WebhookDelivery): State {
  if (!attempt) return { text: t('Waiting'), color: undefined }
  return {
    text: attempt.status === null ? t('No response') : String(attempt.status),
    color: deliveredAt === null ? 'red' : 'green',
  }
}

function whenOf({ attempts: [attempt], createdAt, nextAt }: WebhookDelivery): string {
  if (!attempt) return t('Waiting since {time}', { time: formatTimestamp(createdAt) })
  const facts = [
    formatTimestamp(attempt.at),
    attempt.status === null ? responseOf(attempt) : t('{count} ms', { count: attempt.milliseconds }),
    nextAt !== null && t('next attempt {time}', { time: formatTimestamp(nextAt) }),
  ]
  return facts.filter(Boolean).join(' · ')
}
