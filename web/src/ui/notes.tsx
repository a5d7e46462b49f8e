import type { ComponentChildren } from 'preact'
import type { Connection } from '../api/live.ts'
import { sentenceOf } from '../api/problems.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { Icon, type IconName } from './icon.tsx'

/** Replaces an empty list. `children` tell the user what to do. */
export const EmptyState = ({
  title,
  icon = 'dot',
  children,
}: {
  readonly title: string
  readonly icon?: IconName
  readonly children?: ComponentChildren
}) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

/** The reason for a failed load, with a button that retries. */
export const LoadProblem = ({ problem, onRetry }: { readonly problem: Error; onRetry(): void }) => (
  <div class="empty" role="alert">
    <p class="empty-title">{sentenceOf(problem)}</p>
    <button type="button" class="button" onClick={onRetry}>
      {t('Try again')}
    </button>
  </div>
)

const connectionTexts: Readonly<Record<Connection, MessageKey>> = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
  closed: 'Not live',
}

/** Shows whether the page follows changes by others. */
export const ConnectionStatus = ({ connection }: { readonly connection: Connection }) => (
  <span class={`connection ${connection}`} role="status">
    {t(connectionTexts[connection])}
  </span>
)
