import { formatAgo, formatTimestamp } from '../time/format-timestamp.ts'

export interface AgoProps {
  readonly timestamp: string
  readonly class?: string
}

/** How long ago something was, with its date and time on hover. */
export const Ago = ({ timestamp, class: className }: AgoProps) => (
  <time class={className} dateTime={timestamp} title={formatTimestamp(timestamp)}>
    {formatAgo(timestamp)}
  </time>
)
