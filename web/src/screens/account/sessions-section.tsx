import { useState } from 'preact/hooks'
import type { Session } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { formatAgo, formatTimestamp } from '../../time/format-timestamp.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { describeUserAgent } from './describe-user-agent.ts'

/** Lists the user's sessions, each of which can be ended. */
export function SessionsSection() {
  const { session, toasts, tracker } = useServices()
  const { value, problem, reload } = useLoaded('sessions', [], () => tracker.call('GET /ext/sessions'))
  const [isEndingAll, setEndingAll] = useState(false)
  const run = async (work: () => Promise<unknown>, onDone: () => void) => {
    try {
      await work()
      onDone()
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  const end = ({ id }: Session) =>
    run(
      () => tracker.call('DELETE /ext/sessions', { body: { ids: [id] } }),
      () => {
        toasts.show({ kind: 'done', text: t('The session was ended.') })
        reload()
      },
    )
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">{t('Where you are signed in')}</h2>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={2} cells="lines button" />}
      <ul class="rows">
        {value?.sessions.map((listed) => (
          <li key={listed.id} class="row">
            <span class="row-text">
              {browserOf(listed)}
              {listed.isCurrent && <span class="quiet-text"> {t('(this one)')}</span>}
              <span class="quiet-text line" title={exactTimesOf(listed)}>
                {inOneLine(
                  listed.lastUsedAt !== null && t('active {time}', { time: formatAgo(listed.lastUsedAt) }),
                  listed.address,
                  listed.provider !== null && t('via {provider}', { provider: listed.provider }),
                  t('signed in {time}', { time: formatAgo(listed.createdAt) }),
                )}
              </span>
            </span>
            {!listed.isCurrent && (
              <button type="button" class="button" onClick={() => void end(listed)}>
                {t('End session')}
                <span class="visually-hidden"> {browserOf(listed)}</span>
              </button>
            )}
          </li>
        ))}
        <li class="row">
          <span class="row-text">
            {t('All devices')}
            <span class="quiet-text line">{t('Ends all sessions and your personal access tokens.')}</span>
          </span>
          <button type="button" class="button danger" onClick={() => setEndingAll(true)}>
            {t('Sign out everywhere')}
          </button>
        </li>
      </ul>
      {isEndingAll && (
        <ConfirmDialog
          title={t('Sign out everywhere?')}
          text={t('You are signed out here and on all other devices, and your personal access tokens end.')}
          confirmLabel={t('End all')}
          onConfirm={() =>
            void run(
              () => tracker.call('POST /ext/sessions/end-all', { body: {} }),
              () => void session.signOut(),
            )
          }
          onClose={() => setEndingAll(false)}
        />
      )}
    </section>
  )
}

const exactTimesOf = ({ createdAt, lastUsedAt }: Session): string =>
  inOneLine(
    t('Since {time}', { time: formatTimestamp(createdAt) }),
    lastUsedAt !== null && t('last used {time}', { time: formatTimestamp(lastUsedAt) }),
  )

function browserOf({ userAgent, clientId }: Session): string {
  return userAgent === null ? (clientId ?? t('Unknown browser')) : describeUserAgent(userAgent)
}
