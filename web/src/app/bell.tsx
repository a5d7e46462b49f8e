import { useEffect, useState } from 'preact/hooks'
import { openLive } from '../api/live.ts'
import { useServices } from '../services/services.ts'
import { t, tn } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'

/** The count waits, because the first screen needs the connections and the processor. */
const delayMilliseconds = 1500
/** The badge has no room for larger numbers, and shows "99+" instead. */
const countMax = 99

/** Links to the inbox and shows the number of unread notifications, which are part of the extensions. */
export function Bell() {
  const { configuration, router } = useServices()
  const count = useUnreadCount()
  if (!configuration.extensions) return null
  const countText = count > countMax ? `${countMax}+` : String(count)
  const label =
    count > 0 ? tn(count, 'Inbox: 1 unread', 'Inbox: {count} unread', { count: countText }) : t('Inbox')
  return (
    <a
      class="button quiet icon-only bell"
      href="/inbox"
      aria-label={label}
      title={label}
      aria-current={router.address.value.pathname === '/inbox' ? 'page' : undefined}
    >
      <Icon name="bell" />
      {count > 0 && (
        <span class="bell-count" aria-hidden="true">
          {countText}
        </span>
      )}
    </a>
  )
}

function useUnreadCount(): number {
  const { configuration, session, tracker } = useServices()
  const [count, setCount] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!configuration.extensions || !isSignedIn) return setCount(0)
    let close: (() => void) | undefined
    const timer = setTimeout(() => {
      const query = { unread: 'true', pageSize: 1 } as const
      close = openLive((options) => tracker.connect('GET /ext/notifications', { query }, options), {
        onValue: ({ result }) => setCount(result.unreadCount),
        // The inbox shows the state of the connection and its errors.
        onConnection: () => undefined,
        onProblem: () => undefined,
      })
    }, delayMilliseconds)
    return () => {
      clearTimeout(timer)
      close?.()
    }
  }, [configuration, tracker, isSignedIn])
  return count
}
