import { useEffect, useState } from 'preact/hooks'
import { capitalize } from '../texts/declared-names.ts'
import { formatAgo, formatTimestamp } from '../time/days.ts'

interface AgoProps {
  readonly timestamp: string
  readonly class?: string
}

/** Shows how long ago the timestamp was, with its date and time on hover. */
export const Ago = ({ timestamp, class: className }: AgoProps) => (
  <time class={className} dateTime={timestamp} title={formatTimestamp(timestamp)}>
    {capitalize(formatAgo(timestamp))}
  </time>
)

/** Counts down to the time. 0 when it has passed or there is none. */
export function useSecondsUntil(timestamp: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    if (timestamp === undefined) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= timestamp) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [timestamp])
  return timestamp === undefined ? 0 : Math.max(0, Math.ceil((timestamp - now) / 1000))
}
