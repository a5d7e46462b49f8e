import { useEffect, useState } from 'preact/hooks'
import { useServices } from './services.ts'

/** One line under the top bar while the device is offline or the server asks for patience. */
export function ConnectionBar() {
  const { busyUntil } = useServices()
  const isOnline = useOnline()
  const seconds = useSecondsUntil(busyUntil.value)
  const text = isOnline
    ? seconds > 0 && `The server is busy. Trying again in ${seconds} s…`
    : 'You are offline. What you see may be old; what you type is kept.'
  return (
    <div class="connection-bar" role="status">
      {text || null}
    </div>
  )
}

function useOnline(): boolean {
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
  return isOnline
}

/** Counts down to the moment; 0 when it has passed or there is none. */
export function useSecondsUntil(moment: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    if (moment === undefined) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= moment) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [moment])
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - now) / 1000))
}
