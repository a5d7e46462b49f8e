import type { TargetedPointerEvent } from 'preact'
import { lineDirection } from '../../../ui/place.ts'
import type { Shift } from '../use-reschedule.ts'

/** A shorter movement is a click. */
const clickPixels = 4
/** The width of the area in which only the end is dragged; fingers need more, and the rest of a short bar. */
const edgePixels = { mouse: 10, touch: 24 }
/** A finger that holds still for this long drags the bar; one that moves earlier scrolls. */
const holdMilliseconds = 350
/** Even a still finger moves this much. */
const holdPixels = 10

export interface DragOptions {
  /** The width of a day. */
  readonly dayPixels: number
  readonly beginsBefore: boolean
  readonly endsAfter: boolean
  onDrop(shift: Shift): void
}

type Press = Pick<PointerEvent, 'clientX' | 'clientY' | 'pointerId' | 'pointerType'>

/** Moves a bar with the pointer, or with a finger that holds it, over days and people; Escape restores everything. */
export function dragBar(event: TargetedPointerEvent<HTMLElement>, options: DragOptions): void {
  if (event.button !== 0) return
  const bar = event.currentTarget
  if (event.pointerType === 'touch') afterHolding(event, () => followPress(bar, event, options))
  else followPress(bar, event, options)
}

/** Dragging must not scroll. Registered at the first touch, because a browser that is scrolling already continues. */
export function keepFromScrolling(event: TouchEvent): void {
  if (event.target instanceof Element && event.target.closest('.dragging')) event.preventDefault()
}

function afterHolding({ clientX, clientY }: Press, begin: () => void): void {
  const ended = new AbortController()
  const { signal } = ended
  const timer = setTimeout(() => {
    ended.abort()
    begin()
  }, holdMilliseconds)
  const leave = () => {
    clearTimeout(timer)
    ended.abort()
  }
  const onMove = (move: PointerEvent) => {
    if (Math.hypot(move.clientX - clientX, move.clientY - clientY) > holdPixels) leave()
  }
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', leave, { signal })
  addEventListener('pointercancel', leave, { signal })
  // A second finger ends the drag. Captured, because the first one's event is still bubbling.
  addEventListener('pointerdown', leave, { signal, capture: true })
}

function followPress(bar: HTMLElement, press: Press, options: DragOptions): void {
  const { dayPixels, beginsBefore, endsAfter, onDrop } = options
  const { clientX: startX, clientY: startY, pointerId, pointerType } = press
  const isTouch = pointerType === 'touch'
  const width = bar.offsetWidth
  const edge = Math.min(edgePixels[isTouch ? 'touch' : 'mouse'], width / 3)
  const isEnd = !endsAfter && pixelsToEnd(bar, startX) < edge
  const ended = new AbortController()
  let lanes: Lanes | undefined
  const daysAt = (clientX: number) => Math.round(((clientX - startX) * lineDirection()) / dayPixels)
  const begin = () => {
    bar.classList.add('dragging')
    lanes = createLanes(bar)
    return lanes
  }
  const onMove = (move: PointerEvent) => {
    if (move.pointerId !== pointerId) return
    const { clientX, clientY } = move
    if (lanes === undefined && Math.hypot(clientX - startX, clientY - startY) <= clickPixels) return
    lanes ??= begin()
    const x = daysAt(clientX) * dayPixels
    if (isEnd) drawUntil(bar, width + x, dayPixels)
    else {
      lanes.mark(clientX, clientY)
      bar.style.transform = `translate(${x * lineDirection()}px, ${clientY - startY}px)`
    }
  }
  const finish = () => {
    ended.abort()
    bar.classList.remove('dragging', 'at-limit')
    bar.style.transform = ''
    bar.style.width = ''
    return lanes?.leave()
  }
  const onUp = (up: PointerEvent) => {
    if (up.pointerId !== pointerId) return
    const isDragging = lanes !== undefined
    const userId = finish()
    if (!isDragging) return
    swallowClick()
    const days = daysAt(up.clientX)
    // The end of a bar that begins before the window stays within the visible days.
    const least = beginsBefore ? 1 - Math.round(width / dayPixels) : days
    onDrop(isEnd ? { endDays: Math.max(days, least) } : { days, ...(userId && { userId }) })
  }
  const { signal } = ended
  if (isTouch) begin()
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', onUp, { signal })
  addEventListener('pointercancel', finish, { signal })
  addEventListener('keydown', (key) => key.key === 'Escape' && finish(), { signal })
  // Suppresses the menu that a browser opens for a held link.
  addEventListener('contextmenu', (menu) => menu.preventDefault(), { signal })
}

/** The end stays on the first visible day. */
function drawUntil(bar: HTMLElement, width: number, dayPixels: number): void {
  bar.style.width = `${Math.max(dayPixels, width)}px`
  bar.classList.toggle('at-limit', Math.round(width) < Math.round(dayPixels))
}

function pixelsToEnd(bar: HTMLElement, clientX: number): number {
  const { left, right } = bar.getBoundingClientRect()
  return lineDirection() > 0 ? right - clientX : clientX - left
}

/** The click at the end of a drag must not open the assignment. */
function swallowClick(): void {
  const stop = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', stop, { capture: true, once: true })
  setTimeout(() => removeEventListener('click', stop, { capture: true }), 0)
}

type Lanes = ReturnType<typeof createLanes>

/**
 * The lanes during a drag. Their positions are read once, and an overlay covers them: otherwise the browser would search hundreds
 * of bars below the pointer at each move, which was the largest cost.
 */
function createLanes(bar: HTMLElement) {
  const scroller = bar.closest<HTMLElement>('.timeline')
  const { left = 0, right = 0, top = 0, bottom = 0 } = scroller?.getBoundingClientRect() ?? {}
  /** Relative to the start of the first lane, including the scroll position. */
  const within = (clientY: number) => clientY - top + (scroller?.scrollTop ?? 0)
  const lanes = [...(scroller?.querySelectorAll<HTMLElement>('[data-person]') ?? [])].map((element) => {
    const box = element.getBoundingClientRect()
    return { element, top: within(box.top), bottom: within(box.bottom) }
  })
  const veil = document.createElement('div')
  veil.className = 'timeline-veil'
  veil.style.height = `${scroller?.scrollHeight ?? 0}px`
  scroller?.append(veil)
  let marked: HTMLElement | undefined
  const change = (next: HTMLElement | undefined) => {
    if (next === marked) return
    marked?.classList.remove('drop')
    marked = next
    marked?.classList.add('drop')
  }
  return {
    /** The lane below the pointer, if any. */
    mark(clientX: number, clientY: number) {
      const isWithin = clientX >= left && clientX < right && clientY >= top && clientY < bottom
      const y = within(clientY)
      change(isWithin ? lanes.find((lane) => y >= lane.top && y < lane.bottom)?.element : undefined)
    },
    /** The owner of the last marked lane. */
    leave() {
      const userId = marked?.dataset.person
      change(undefined)
      veil.remove()
      return userId
    },
  }
}
