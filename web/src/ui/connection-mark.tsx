import type { Connection } from '../api/live-listing.ts'
import { type Text, t } from '../texts/text.ts'

const texts: Readonly<Record<Connection, Text>> = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
  closed: 'Not live',
}

/** Shows whether the page follows changes by others. */
export const ConnectionMark = ({ connection }: { readonly connection: Connection }) => (
  <span class={`connection ${connection}`} role="status">
    {t(texts[connection])}
  </span>
)
