import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { queuedChanges, waitingChanges } from '../assignment/queue.ts'
import { useServices } from '../services/services.ts'
import { t, tn } from '../texts/text.ts'
import { formatTimestamp } from '../time/days.ts'
import { lazyDialog } from '../ui/lazy.tsx'
import { useSecondsUntil } from '../ui/relative-time.tsx'

/** The open dialog of waiting changes: their list, or the question before a sign-out that loses them. */
const openDialog = signal<'list' | 'sign-out' | undefined>(undefined)

/**
 * Shows a line below the top bar while old data is shown, the device is offline or the server is busy or slow,
 * or while changes wait.
 */
export function ConnectionBar() {
  const stateText = useStateText()
  const waiting = waitingChanges(queuedChanges.value)
  // Rejected changes are among them.
  const rejected = waiting.filter(({ problem }) => problem !== undefined)
  const text = [
    stateText,
    rejected.length > 0 &&
      tn(rejected.length, 'One change was not accepted.', '{count} changes were not accepted.'),
    waiting.length > rejected.length &&
      tn(
        waiting.length - rejected.length,
        'One change waits for the network.',
        '{count} changes wait for the network.',
      ),
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <>
      <div class="connection-bar" role="status">
        {text || null}
        {waiting.length > 0 && (
          <>
            {' '}
            <button
              type="button"
              class="link-button"
              onClick={() => {
                openDialog.value = 'list'
              }}
            >
              {t('Show the changes')}
            </button>
          </>
        )}
      </div>
      <OpenDialog />
    </>
  )
}

function useStateText(): string | false {
  const { busyUntil, lastSeen, slowReads } = useServices()
  const isOnline = useOnline()
  const seconds = useSecondsUntil(busyUntil.value)
  const shownFrom = lastSeen.shownFrom.value
  if (shownFrom !== undefined) {
    const time = formatTimestamp(new Date(shownFrom).toISOString())
    return t('Offline. Showing what you saw at {time}.', { time })
  }
  if (!isOnline) return t('You are offline. The data may be out of date; your input is kept.')
  if (seconds > 0) return t('The server is busy. Trying again in {seconds} s…', { seconds })
  return slowReads.value > 0 && t('The server is busy, or the network slow. Still waiting…')
}

/**
 * Returns true if the browser has a network or the last request got a response. A machine without a network
 * can reach a server that runs on it.
 */
function useOnline(): boolean {
  const { isReachable } = useServices()
  const [isOnline, setOnline] = useState(navigator.onLine)
  useEffect(() => {
    const update = () => setOnline(navigator.onLine)
    addEventListener('online', update)
    addEventListener('offline', update)
    return () => {
      removeEventListener('online', update)
      removeEventListener('offline', update)
    }
  }, [])
  return isOnline || isReachable.value
}

/** Returns a function that signs out. If changes would be lost, its first call only opens the dialog. */
export function useSignOut(): () => void {
  const { session, toasts } = useServices()
  return () => {
    const isConfirmed = openDialog.peek() === 'sign-out'
    if (waitingChanges(queuedChanges.peek()).length > 0 && !isConfirmed) openDialog.value = 'sign-out'
    else session.signOut().catch((error: Error) => toasts.show({ kind: 'problem', text: error.message }))
  }
}

const QueueDialog = lazyDialog(async () => (await import('./queue-dialog.tsx')).QueueDialog)

function OpenDialog() {
  const signOut = useSignOut()
  const open = openDialog.value
  const close = () => {
    openDialog.value = undefined
  }
  return open ? <QueueDialog onSignOut={open === 'sign-out' ? signOut : undefined} onClose={close} /> : null
}
