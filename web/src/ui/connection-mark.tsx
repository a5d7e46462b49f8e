import type { Connection } from '../api/live-listing.ts'

const texts: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
  closed: 'Not live',
}

/** Whether what one sees follows what others do. */
export const ConnectionMark = ({ connection }: { readonly connection: Connection }) => (
  <span class={`connection ${connection}`} role="status">
    {texts[connection]}
  </span>
)
