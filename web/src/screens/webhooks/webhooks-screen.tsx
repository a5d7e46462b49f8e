import { useState } from 'preact/hooks'
import type { Webhook, WebhookDelivery } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t, tn, translateSentence } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/days.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { ProjectSubPage } from '../../ui/project-sub-page.tsx'

/**
 * Manages the webhooks of a project. Without a project, administrators manage the webhooks of all projects.
 */
export function WebhooksScreen({ parameters: { projectId } }: ScreenProps) {
  const { tracker } = useServices()
  const [secret, setSecret] = useState<string>()
  const { value, problem, reload } = useLoaded(`webhooks-${projectId}`, [], () =>
    tracker.call('GET /ext/webhooks', { query: { projectId } }),
  )
  return (
    <ProjectSubPage projectId={projectId} path="webhooks" title={t('Webhooks')}>
      <p class="quiet-text page-note">
        {t('Each change is sent to an address of yours, signed with a secret that is shown once.')}
      </p>
      {secret && (
        <div class="form-note new-secret">
          <p role="status">
            {t('The secret, which is only shown now:')} <code>{secret}</code>
          </p>
          <CopyButton text={secret} />
        </div>
      )}
      <NewWebhook
        projectId={projectId}
        onCreated={(newSecret) => {
          setSecret(newSecret)
          reload()
        }}
      />
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={2} cells="lines button" />}
      {value?.webhooks.length === 0 && (
        <EmptyState icon="link" title={t('No webhooks yet')}>
          <p>{t('Enter an address above: from then on each change is sent to it.')}</p>
        </EmptyState>
      )}
      <ul class="rows">
        {value?.webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} onChanged={reload} onSecret={setSecret} />
        ))}
      </ul>
    </ProjectSubPage>
  )
}

/** Every URL begins like this, in all languages. */
const urlStart = 'https://'

function NewWebhook({
  projectId,
  onCreated,
}: {
  readonly projectId: string | undefined
  onCreated(secret: string): void
}) {
  const { tracker } = useServices()
  const form = useForm({
    draft: `webhook-${projectId}`,
    initial: { url: '', name: '' },
    async submit({ url, name }) {
      const body = { url, name: name || null, projectId: projectId ?? null }
      onCreated((await tracker.call('POST /ext/webhook', { body })).webhook.secret)
    },
  })
  return (
    <div class="setting-box">
      <Form form={form} submitLabel={t('Add a webhook')} onDone={form.discard}>
        <TextField form={form} name="url" label={t('URL')} placeholder={urlStart} required />
        <TextField form={form} name="name" label={t('Name')} />
      </Form>
    </div>
  )
}

interface WebhookRowProps {
  readonly webhook: Webhook
  onChanged(): void
  onSecret(secret: string): void
}

function WebhookRow({ webhook, onChanged, onSecret }: WebhookRowProps) {
  const { toasts, tracker } = useServices()
  const [isLogOpen, setLogOpen] = useState(false)
  const { id, active, pausedBecause, waiting } = webhook
  const request = { body: { id } }
  const run = (work: () => Promise<unknown>) =>
    work().then(onChanged, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  // A component that is defined here would be new in each render, and its button would lose the focus, so a
  // function renders the button.
  const actionButton = (label: string, work: () => Promise<unknown>, kind = '') => (
    <button type="button" class={`button ${kind}`} onClick={() => void run(work)}>
      {label}
      <span class="visually-hidden"> {webhook.url}</span>
    </button>
  )
  return (
    <li class="row stacked">
      <span class="row-text">
        <span dir="ltr">{webhook.url}</span>
        {webhook.name && (
          <span class="quiet-text line" dir="auto">
            {webhook.name}
          </span>
        )}
        {!active && (
          <span class="line">
            {t('Paused. {reason}', { reason: translateSentence(pausedBecause ?? '') })}
          </span>
        )}
        {waiting > 0 && (
          <span class="quiet-text line">
            {tn(waiting, '{count} message is waiting.', '{count} messages are waiting.')}
          </span>
        )}
        <span class="form-buttons">
          {actionButton(t('Send a test'), () => tracker.call('POST /ext/webhook/test', request))}
          {actionButton(active ? t('Pause') : t('Resume'), () =>
            tracker.call('PATCH /ext/webhook', { body: { id, active: !active } }),
          )}
          {actionButton(t('New secret'), async () =>
            onSecret((await tracker.call('POST /ext/webhook/rotate', request)).secret),
          )}
          <button
            type="button"
            class="button"
            aria-expanded={isLogOpen}
            onClick={() => setLogOpen(!isLogOpen)}
          >
            {t('Log')}
          </button>
          {actionButton(t('Remove'), () => tracker.call('DELETE /ext/webhook', request), 'danger')}
        </span>
        {isLogOpen && <WebhookLog id={id} />}
      </span>
    </li>
  )
}

/** Lists the latest deliveries with their responses and durations. */
function WebhookLog({ id }: { readonly id: string }) {
  const { toasts, tracker } = useServices()
  const { value, problem, reload } = useLoaded(`deliveries-${id}`, [], () =>
    tracker.call('GET /ext/webhook/deliveries', { query: { id, pageSize: 20 } }),
  )
  if (problem) return <LoadProblem problem={problem} onRetry={reload} />
  if (value === undefined) return <Skeleton as="rows" rows={2} cells="lines button" />
  if (value.result.data.length === 0) return <EmptyState title={t('Nothing has been sent yet')} />
  const replay = (deliveryId: string) =>
    tracker
      .call('POST /ext/webhook/replay', { body: { id, deliveryId } })
      .then(reload, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  return (
    <ul class="rows" aria-label={t('Log')}>
      {value.result.data.map((delivery) => (
        <li key={delivery.id} class="row">
          <span class="row-text">
            {delivery.type}
            <span class="quiet-text line">{outcomeOf(delivery)}</span>
          </span>
          <button type="button" class="button" onClick={() => void replay(delivery.id)}>
            {t('Send again')}
            <span class="visually-hidden"> {delivery.messageId}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function outcomeOf({ attempts: [lastAttempt], createdAt, nextAt }: WebhookDelivery): string {
  if (!lastAttempt) return t('Waiting since {time}', { time: formatTimestamp(createdAt) })
  const response =
    lastAttempt.status === null
      ? translateSentence(lastAttempt.error ?? '')
      : t('responded with {status}', { status: lastAttempt.status })
  const summary = t('{time}: {response} after {count} ms', {
    time: formatTimestamp(lastAttempt.at),
    response,
    count: lastAttempt.milliseconds,
  })
  return nextAt === null
    ? summary
    : `${summary} · ${t('next attempt {time}', { time: formatTimestamp(nextAt) })}`
}
