import { capitalize } from '../texts/declared-names.ts'
import { formatAgo, formatTimestamp } from '../time/format-timestamp.ts'

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
