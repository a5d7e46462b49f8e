import { useEffect, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'

/** One line under the top bar while the device is offline or the server asks the client to wait. */
export function ConnectionBar() {
  const { busyUntil } = useServices()
  const isOnline = useOnline()
  const seconds = useSecondsUntil(busyUntil.value)
  const text = isOnline
    ? seconds > 0 && t('The server is busy. Trying again in {seconds} s…', { seconds })
    : t('You are offline. What you see may be old; what you type is kept.')
  return (
    <div class="connection-bar" role="status">
      {text || null}
    </div>
  )
}

/**
 * What the browser says of its network is believed until an answer proves it wrong: a machine without any network still
 * reaches a server of its own.
 */
function useOnline(): boolean {
  const { isReached } = useServices()
  const [isOnline, setOnline] = useState(navigator.onLine)
  useEffect(() => {
    const follow = () => setOnline(navigator.onLine)
    addEventListener('online', follow)
    addEventListener('offline', follow)
    return () => {
      removeEventListener('online', follow)
      removeEventListener('offline', follow)
    }
  }, [])
  return isOnline || isReached.value
}
