import { useState } from 'preact/hooks'
import { createAccess } from '../../api/access.ts'
import { sentenceOf } from '../../api/api-problem.ts'
import type { Consent } from '../../api/types.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { showMoment } from '../../time/moments.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'

/** What the person has allowed apps of others. Nothing for those who have allowed nothing. */
export function ConsentsSection() {
  const { send, toasts } = useServices()
  const access = createAccess(send)
  const { value: consents, problem, reload } = useLoaded('consents', [], () => access.consents())
  const [front, setFront] = useState<Consent>()
  const withdraw = async ({ clientId, name }: Consent) => {
    try {
      await access.withdrawConsent(clientId)
      toasts.show({ kind: 'done', text: t('{name} may do nothing for you any more.', { name }) })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    reload()
  }
  if (!problem && !consents?.length) return null
  return (
    <section aria-labelledby="consents-title">
      <h2 id="consents-title">{t('What you have allowed')}</h2>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      <ul class="rows">
        {consents?.map((consent) => (
          <li key={consent.clientId} class="row">
            <span class="row-text">
              <bdi>{consent.name}</bdi>
              <span class="quiet-text line">
                {consent.scopes.join(', ')} · {t('since {moment}', { moment: showMoment(consent.grantedAt) })}
              </span>
            </span>
            <button type="button" class="button" onClick={() => setFront(consent)}>
              {t('Take back')}
              <span class="visually-hidden"> {consent.name}</span>
            </button>
          </li>
        ))}
      </ul>
      {front && (
        <ConfirmDialog
          title={t('Take back what {name} may do?', { name: front.name })}
          text={t(
            'It is signed out within 30 seconds, and you are asked again when you use it the next time.',
          )}
          confirmLabel={t('Take back')}
          onConfirm={() => void withdraw(front)}
          onClose={() => setFront(undefined)}
        />
      )}
    </section>
  )
}
