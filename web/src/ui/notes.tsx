import type { ComponentChildren } from 'preact'
import type { Connection } from '../api/live.ts'
import { sentenceOf } from '../api/problems.ts'
import { type Text, t } from '../texts/text.ts'

/** Says what to do where there is no content yet. */
export const EmptyState = ({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) => (
  <div class="empty">
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
