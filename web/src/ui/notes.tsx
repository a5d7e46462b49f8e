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

export interface AvatarProps {
  readonly name: string
  /** One of the colours of the style sheet. */
  readonly tint: number
  /** Set where the name is next to it. */
  readonly isNamed?: boolean
  /** Replaces the initials of the name. */
  readonly initials?: string
}

/** A person's initials in a circle; the name is next to it or in its label. */
export const Avatar = ({ name, tint, isNamed = false, initials = initialsOf(name) }: AvatarProps) => (
  <span
    class={`avatar tint-${tint}`}
    title={name || undefined}
    {...(isNamed || name === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name })}
  >
    {initials}
  </span>
)

const initialsOf = (name: string): string => {
  // Symbols and emoji make no initials.
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  return [words.at(0), words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

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
