import type { ComponentChild, ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Connection } from '../api/live.ts'
import { isOutage, sentenceOf } from '../api/problems.ts'
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
    {isOutage(problem) && <p>{t('Without a network, only what you opened before is available.')}</p>}
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

interface ErrorBoundaryProps {
  readonly children: ComponentChildren
  /** Identifies the content of the children. When it changes, children that failed are rendered again. */
  readonly content?: unknown
  /** Replaces children that fail to render; `retry` renders them again. */
  fallback(retry: () => void): ComponentChild
}

/** Renders a fallback if a child throws, until `retry` is called or the content changes. */
export function ErrorBoundary({ children, content, fallback }: ErrorBoundaryProps) {
  const failed = useRef<unknown>(undefined)
  const [error, retry] = useErrorBoundary((thrown) => {
    failed.current = content
    // This global function of the browser passes the error to window.onerror.
    globalThis.reportError(thrown)
  })
  return <>{error === undefined || failed.current !== content ? children : fallback(retry)}</>
}

export interface SkeletonProps {
  /** Rows, columns of cards, cells of a table, fields with labels, or boxes side by side. */
  readonly as: 'rows' | 'columns' | 'grid' | 'fields' | 'boxes'
  readonly blocks?: number
  readonly rows: number
  /** The parts of a row, as classes: `face`, `icon`, `text`, `lines`, `button`, `field`, `day`, `area`. */
  readonly cells?: string
}

/** Classes of the whole and of each block, which add existing styles of screens. */
const classNames: Readonly<Record<SkeletonProps['as'], readonly [whole: string, block: string]>> = {
  rows: ['', 'group'],
  columns: ['board', 'column'],
  grid: ['', ''],
  fields: ['', ''],
  boxes: ['sections', ''],
}

/** Grey shapes in place of loading content. They appear only after a delay. */
export function Skeleton({ as, blocks = 0, rows, cells = 'text' }: SkeletonProps) {
  const isAnnounced = useAnnouncedOnce()
  const [whole, block] = classNames[as]
  return (
    <div class={`skeleton skeleton-${as} ${whole}`}>
      <p class="visually-hidden" role="status">
        {isAnnounced && t('Loading')}
      </p>
      {range(Math.max(1, blocks)).map((index) => (
        <div key={index} class={`skeleton-block ${block}`} aria-hidden="true">
          {blocks > 0 && <i class="shape shape-title" />}
          <div class="skeleton-list">
            {range(rows).map((row) => (
              <div key={row} class="skeleton-row">
                {cells.split(' ').map((cell, column) => (
                  <i key={column} class={`shape shape-${cell}`} />
                ))}
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

/**
 * Skeletons of a screen and of its parts follow each other. As long as there is no gap between them, only the
 * first is announced.
 */
const loading = {
  count: 0,
  /** The skeleton that announces the loading, or is about to. */
  announcer: undefined as symbol | undefined,
  /** True once the text of the announcer is in the page. */
  isAnnounced: false,
  endedAt: Number.NEGATIVE_INFINITY,
}
const gapMilliseconds = 1000
/** The same as the delay of the shapes in the style sheet. */
const delayMilliseconds = 250

/** Returns true for the one skeleton that announces the loading. */
function useAnnouncedOnce(): boolean {
  const [isAnnouncer, setAnnouncer] = useState(false)
  useLayoutEffect(() => {
    if (isAnnouncer) loading.isAnnounced = true
  }, [isAnnouncer])
  useEffect(() => {
    const self = Symbol('skeleton')
    if (loading.count === 0 && performance.now() - loading.endedAt > gapMilliseconds)
      Object.assign(loading, { announcer: undefined, isAnnounced: false })
    loading.count += 1
    let timer = setTimeout(announce, delayMilliseconds)
    function announce() {
      if (loading.isAnnounced) return
      if (loading.announcer === undefined) {
        loading.announcer = self
        setAnnouncer(true)
      } else timer = setTimeout(announce, delayMilliseconds)
    }
    return () => {
      clearTimeout(timer)
      loading.count -= 1
      loading.endedAt = performance.now()
      // This skeleton was removed before its text was rendered, so the next one announces.
      if (loading.announcer === self && !loading.isAnnounced) loading.announcer = undefined
    }
  }, [])
  return isAnnouncer
}
