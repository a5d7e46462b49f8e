import { sentenceOf } from '../../api/api-problem.ts'
import { createEvents } from '../../api/events.ts'
import type { WebhookDelivery } from '../../api/types.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { inOwnWords, t } from '../../texts/text.ts'
import { showMoment } from '../../time/moments.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

/** What was sent last, what was answered, and how long that took. */
export function WebhookLog({ id }: { readonly id: string }) {
  const { send, toasts } = useServices()
  const events = createEvents(send)
  const { value, problem, reload } = useLoaded(`deliveries-${id}`, [], () => events.deliveries(id))
  if (problem) return <LoadProblem problem={problem} onRetry={reload} />
  if (value === undefined) return <Skeleton as="rows" rows={2} cells="lines button" />
  if (value.length === 0) return <EmptyState title={t('Nothing was sent yet')} />
  const replay = (deliveryId: string) =>
    events
      .replay(id, deliveryId)
      .then(reload, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  return (
    <ul class="rows" aria-label={t('Log')}>
      {value.map((delivery) => (
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

function outcomeOf({ attempts: [last], createdAt, nextAt }: WebhookDelivery): string {
  if (!last) return t('Waits since {moment}', { moment: showMoment(createdAt) })
  const answered =
    last.status === null ? inOwnWords(last.error ?? '') : t('answered {status}', { status: last.status })
  const told = t('{moment}: {answered} after {count} ms', {
    moment: showMoment(last.at),
    answered,
    count: last.milliseconds,
  })
  return nextAt === null ? told : `${told} · ${t('next attempt {moment}', { moment: showMoment(nextAt) })}`
}
