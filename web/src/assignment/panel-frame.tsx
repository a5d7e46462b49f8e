import { computed, signal } from '@preact/signals'
import type { ComponentChildren, TargetedKeyboardEvent, TargetedPointerEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { useFileDrop } from '../ui/files.tsx'
import { Icon, IconButton } from '../ui/icon.tsx'
import { directionSign, logicalArrowKey } from '../ui/viewport.ts'

interface PanelFrameProps {
  readonly id: string
  /** Names the panel for assistive technology, and takes the focus when it opens. */
  readonly title: string
  /** The content of the pinned first line. */
  readonly tools: ComponentChildren
  /** The editable name, pinned below the tools. Nothing while the assignment is loading. */
  readonly name: ComponentChildren
  /** Shows a placeholder for the name. */
  readonly isLoading: boolean
  readonly children: ComponentChildren
  /** Pinned below the content, which scrolls. */
  readonly foot: ComponentChildren
  onClose(): void
}

/**
 * Shows the panel as a layer over the end of the screen, so that nothing below it moves. Its edge can be
 * dragged, F shows it on the whole page, and Escape closes it.
 */
export function PanelFrame(props: PanelFrameProps) {
  const { id, title, tools, name, isLoading, children, foot, onClose } = props
  const isFull = isPanelFull(useServices().router.address.value)
  const element = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const drop = useAttachmentDrop(id)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  useEffect(() => revealFocus(element.current), [])
  return (
    <aside
      ref={element}
      class={`panel ${isFull ? 'full' : ''} ${drop.isOver ? 'drop' : ''}`}
      {...drop.handlers}
      data-assignment={id}
      aria-labelledby="panel-title"
      onKeyDown={(event) => {
        // Escape in a dialog of a section, or in the month of a field, closes only that.
        const isInDialog = (event.target as Element).closest('dialog')
        if (event.key === 'Escape' && !event.defaultPrevented && !isInDialog) onClose()
      }}
    >
      {!isFull && <PanelEdge panel={element} />}
      <header class="panel-header">
        <h2 id="panel-title" class="visually-hidden" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <div class="panel-tools">
          {tools}
          <FullButton isFull={isFull} />
          <IconButton icon="close" label={t('Close')} run={onClose} />
        </div>
        {name}
        {isLoading && <i class="skeleton-bar panel-name-bar" aria-hidden="true" />}
      </header>
      <div class="panel-scroll" key={name ? 'shown' : 'loading'}>
        {children}
      </div>
      {foot}
    </aside>
  )
}

/**
 * Focuses a field in the panel of an assignment, or presses a button, as soon as it is rendered. Its script may still
 * be loading.
 */
export function focusInPanel(id: string, selector = '.panel-name', triesLeft = 200): void {
  const found = document.querySelector<HTMLElement>(`[data-assignment="${id}"] ${selector}`)
  if (found?.matches('button')) found.click()
  else if (found) found.focus()
  else if (triesLeft > 0) setTimeout(() => focusInPanel(id, selector, triesLeft - 1), 50)
}

/** Makes the panel accept dropped files. Without the extensions it accepts none. */
function useAttachmentDrop(assignmentId: string) {
  const { configuration, files } = useServices()
  const upload = (dropped: FileList) => {
    for (const file of dropped) void files.upload(assignmentId, file)
  }
  return useFileDrop(configuration.extensions ? upload : undefined)
}

/** Returns whether the panel covers a part of the card. */
export function isCovered(card: Element, panel: Element): boolean {
  const [box, cover] = [card.getBoundingClientRect(), panel.getBoundingClientRect()]
  return box.right > cover.left && box.left < cover.right
}

/**
 * Scrolls a focused card into view if the panel covers it, because browsers regard such a card as visible.
 */
function revealFocus(panel: HTMLElement | null): () => void {
  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || panel === null || panel.contains(target)) return
    if (isCovered(target, panel) && target.matches('.column :focus-visible'))
      target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  addEventListener('focusin', onFocus)
  return () => removeEventListener('focusin', onFocus)
}

/**
 * Switches between the panel and the whole page. The URL contains the choice, so that a link or a reload
 * shows the same.
 */
function FullButton({ isFull }: { readonly isFull: boolean }) {
  const { router } = useServices()
  const label = isFull ? t('Next to the project') : t('On the whole page')
  return (
    <button
      type="button"
      class="button quiet icon-only panel-full"
      aria-label={label}
      title={`${label} (F)`}
      aria-keyshortcuts="F"
      onClick={() => router.setQuery({ [fullParameter]: isFull ? '' : '1' })}
    >
      <Icon name={isFull ? 'shrink' : 'expand'} />
    </button>
  )
}

type Ids = readonly string[]

/** The assignments that a view shows, by the positions of its parts, such as the columns of a board. */
const shownParts = signal<ReadonlyMap<number, Ids>>(new Map())

/** The ids in the order of the view behind the panel. An assignment in two groups is included once. */
const shownIds = computed((): Ids => {
  const inOrder = [...shownParts.value].sort(([a], [b]) => a - b)
  return [...new Set(inOrder.flatMap(([, ids]) => ids))]
})

/** Shares the order of rows for as long as they are shown. */
export function useShownRows(rows: readonly { readonly id: string }[], position = 0): void {
  useLayoutEffect(() => {
    const ids = rows.map(({ id }) => id)
    shownParts.value = new Map(shownParts.peek()).set(position, ids)
    return () => {
      shownParts.value = new Map([...shownParts.peek()].filter(([, part]) => part !== ids))
    }
  }, [rows, position])
}

/** Goes to the previous or next assignment, in the order of the view behind the panel. */
export function PanelSteps({ id, projectId }: { readonly id: string; readonly projectId: string }) {
  const { router } = useServices()
  const ids = shownIds.value
  const index = ids.indexOf(id)
  const go = (to: string) => {
    router.go(assignmentPath(projectId, to, router.address.peek().search), { replace: true })
    // The view has rendered the card by then, even if it was far away.
    requestAnimationFrame(() =>
      document.getElementById(`card-${to}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    )
  }
  const steps = [
    { key: 'K', icon: 'up', label: t('Previous assignment'), to: ids[index - 1] },
    { key: 'J', icon: 'down', label: t('Next assignment'), to: index < 0 ? undefined : ids[index + 1] },
  ] as const
  return steps.map(({ key, icon, label, to }) => (
    <button
      key={key}
      type="button"
      class="button quiet icon-only panel-step"
      aria-label={label}
      title={`${label} (${key})`}
      aria-keyshortcuts={key}
      disabled={to === undefined}
      onClick={() => to !== undefined && go(to)}
    >
      <Icon name={icon} />
    </button>
  ))
}

const fullParameter = 'full'

export const isPanelFull = ({ searchParams }: URL): boolean => searchParams.get(fullParameter) === '1'

/** Returns the query of the screen behind the panel. */
export function queryWithoutPanel({ search }: URL): string {
  const query = new URLSearchParams(search)
  query.delete(fullParameter)
  return query.size === 0 ? '' : `?${query}`
}

const widthKey = 'tracker.panel'
/** A wide window has room for longer lines. */
const defaultPixels = () => (innerWidth < 1920 ? 432 : 560)
/** The narrowest panel has room for two columns of fields. */
const pixelsMin = 352
/** At least this much of the screen behind stays visible. */
const behindPixels = 320
const stepPixels = 32

const clamp = (pixels: number): number =>
  Math.round(Math.min(Math.max(pixels, pixelsMin), Math.max(pixelsMin, innerWidth - behindPixels)))

const storedWidth = (): number => clamp(Number(localStorage.getItem(widthKey)) || defaultPixels())

/**
 * Tells the styles how wide a panel is. The property belongs to the page, because headers, the bar below the
 * top and the board leave room for the panel. It is set before the first render: every element inherits it, so
 * the whole page is styled again when it changes.
 */
export const applyPanelWidth = (pixels = storedWidth()): void =>
  document.documentElement.style.setProperty('--panel-width', `${pixels}px`)

/**
 * The line between the panel and the screen. Dragging it or pressing an arrow key changes the width. The
 * browser stores the width.
 */
function PanelEdge({ panel }: { readonly panel: { readonly current: HTMLElement | null } }) {
  const [width, setWidth] = useState(storedWidth)
  useLayoutEffect(() => applyPanelWidth(width), [width])
  const change = (pixels: number) => {
    setWidth(clamp(pixels))
    localStorage.setItem(widthKey, String(clamp(pixels)))
  }
  const steps: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => width + stepPixels,
    ArrowRight: () => width - stepPixels,
    Home: () => pixelsMin,
    End: () => innerWidth,
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = steps[logicalArrowKey(event)]
    if (step === undefined) return
    event.preventDefault()
    change(step())
  }
  const onPointerMove = ({ currentTarget, pointerId, clientX }: TargetedPointerEvent<HTMLElement>) => {
    if (panel.current === null || !currentTarget.hasPointerCapture(pointerId)) return
    const { left, right } = panel.current.getBoundingClientRect()
    change(directionSign() > 0 ? right - clientX : clientX - left)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` cannot be dragged
    <div
      class="panel-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('Width of the panel')}
      aria-valuemin={pixelsMin}
      aria-valuemax={clamp(innerWidth)}
      aria-valuenow={width}
      title={t('Width of the panel')}
      onKeyDown={onKeyDown}
      onDblClick={() => change(defaultPixels())}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={onPointerMove}
    />
  )
}
