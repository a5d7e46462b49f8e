import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/api-problem.ts'
import { createEvents } from '../../api/events.ts'
import type { Webhook } from '../../api/types.ts'
import { useServices } from '../../services/services.ts'
import { inOwnWords, t, tn } from '../../texts/text.ts'
import { WebhookLog } from './webhook-log.tsx'

export interface WebhookRowProps {
  readonly webhook: Webhook
  onChanged(): void
  onSecret(secret: string): void
}

export function WebhookRow({ webhook, onChanged, onSecret }: WebhookRowProps) {
  const { send, toasts } = useServices()
  const events = createEvents(send)
  const [isLogOpen, setLogOpen] = useState(false)
  const run = (work: Promise<unknown>) => () =>
    work.then(onChanged, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  const { id, active, pausedBecause, waiting } = webhook
  const Do = ({ label, work }: { readonly label: string; work(): Promise<unknown> }) => (
    <button type="button" class="button" onClick={() => void run(work())()}>
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
          <span class="line">{t('Paused. {reason}', { reason: inOwnWords(pausedBecause ?? '') })}</span>
        )}
        {waiting > 0 && (
          <span class="quiet-text line">
            {tn(waiting, '{count} message waits.', '{count} messages wait.')}
          </span>
        )}
        <span class="form-buttons">
          <Do label={t('Send a test')} work={() => events.testWebhook(id)} />
          <Do label={active ? t('Pause') : t('Resume')} work={() => events.setActive(id, !active)} />
          <Do label={t('New secret')} work={() => events.newSecret(id).then(onSecret)} />
          <Do label={t('Remove')} work={() => events.removeWebhook(id)} />
          <button
            type="button"
            class="button"
            aria-expanded={isLogOpen}
            onClick={() => setLogOpen(!isLogOpen)}
          >
            {t('Log')}
          </button>
        </span>
        {isLogOpen && <WebhookLog id={id} />}
      </span>
    </li>
  )
}
