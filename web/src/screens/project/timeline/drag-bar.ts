import type { TargetedPointerEvent } from 'preact'
import { directionSign } from '../../../ui/viewport.ts'
import type { Shift } from '../period-view.tsx'

/** A shorter movement counts as a click. */
const clickPixels = 4
/** A drag that begins this close to the end of a bar moves only the end. Fingers need more room. */
const edgePixels = { mouse: 10, touch: 24 }
/** A finger that holds still for this long drags the bar. A finger that moves earlier scrolls. */
const holdMilliseconds = 350
/** A finger that holds still may move this much. */
const holdPixels = 10

interface DragOptions {
  readonly dayPixels: number
  readonly beginsBefore: boolean
  readonly endsAfter: boolean
  onDrop(shift: Shift): void
}

type Press = Pick<PointerEvent, 'clientX' | 'clientY' | 'pointerId' | 'pointerType'>

/**
 * Moves a bar over days and people, or only its end, with the pointer or a finger that holds it. Escape cancels
 * the drag.
 */
export function dragBar(event: TargetedPointerEvent<HTMLElement>, options: DragOptions): void {
  if (event.button !== 0) return
  const bar = event.currentTarget
  if (event.pointerType === 'touch') whenHeld(event, () => followPress(bar, event, options))
  else followPress(bar, event, options)
}

/**
 * Prevents scrolling during a drag. It must be registered before the first touch, because a browser that has
 * begun to scroll continues.
 */
export function preventScrolling(event: TouchEvent): void {
  if (event.target instanceof Element && event.target.closest('.dragging')) event.preventDefault()
}

function whenHeld({ clientX, clientY }: Press, begin: () => void): void {
  const controller = new AbortController()
  const { signal } = controller
  const timer = setTimeout(() => {
    controller.abort()
    begin()
  }, holdMilliseconds)
  const cancel = () => {
    clearTimeout(timer)
    controller.abort()
  }
  const onMove = (move: PointerEvent) => {
    if (Math.hypot(move.clientX - clientX, move.clientY - clientY) > holdPixels) cancel()
  }
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', cancel, { signal })
  addEventListener('pointercancel', cancel, { signal })
  // A second finger cancels, too. The listener captures, because the event of the first finger is still
  // bubbling.
  addEventListener('pointerdown', cancel, { signal, capture: true })
}

function followPress(bar: HTMLElement, press: Press, options: DragOptions): void {
  const { dayPixels, beginsBefore, endsAfter, onDrop } = options
  const { clientX: startX, clientY: startY, pointerId, pointerType } = press
  const isTouch = pointerType === 'touch'
  const width = bar.offsetWidth
  const edge = Math.min(edgePixels[isTouch ? 'touch' : 'mouse'], width / 3)
  // Dragging a name that is next to its bar moves the bar.
  const isResizing = !endsAfter && Math.abs(pixelsToEnd(bar, startX)) < edge
  const controller = new AbortController()
  let lanes: Lanes | undefined
  const daysAt = (clientX: number) => Math.round(((clientX - startX) * directionSign()) / dayPixels)
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
    if (isResizing) resizeTo(bar, width + x, dayPixels)
    else {
      lanes.mark(clientX, clientY)
      bar.style.transform = `translate(${x * directionSign()}px, ${clientY - startY}px)`
    }
  }
  const finish = () => {
    controller.abort()
    bar.classList.remove('dragging', 'at-limit')
    bar.style.transform = ''
    bar.style.width = ''
    return lanes?.close()
  }
  const onUp = (up: PointerEvent) => {
    if (up.pointerId !== pointerId) return
    const isDragging = lanes !== undefined
    const userId = finish()
    if (!isDragging) return
    swallowClick()
    const days = daysAt(up.clientX)
    // The end of a bar that begins before the visible days stays within them.
    const minDays = beginsBefore ? 1 - Math.round(width / dayPixels) : days
    onDrop(
      isResizing ? { endDays: Math.max(days, minDays) } : { days, ...(userId !== undefined && { userId }) },
    )
  }
  const { signal } = controller
  if (isTouch) begin()
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', onUp, { signal })
  addEventListener('pointercancel', finish, { signal })
  addEventListener('keydown', (key) => key.key === 'Escape' && finish(), { signal })
  // Suppresses the menu that a browser opens for a held link.
  addEventListener('contextmenu', (menu) => menu.preventDefault(), { signal })
}

/** Resizes the bar. At least its first visible day remains. */
function resizeTo(bar: HTMLElement, width: number, dayPixels: number): void {
  bar.style.width = `${Math.max(dayPixels, width)}px`
  bar.classList.toggle('at-limit', Math.round(width) < Math.round(dayPixels))
}

function pixelsToEnd(bar: HTMLElement, clientX: number): number {
  const { left, right } = bar.getBoundingClientRect()
  return directionSign() > 0 ? right - clientX : clientX - left
}

/** Suppresses the click at the end of a drag. The click would open the assignment. */
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
 * Finds lanes during a drag. Their positions are measured once, and an overlay covers the bars. Otherwise the
 * browser would search hundreds of bars at each move.
 */
function createLanes(bar: HTMLElement) {
  const scroller = bar.closest<HTMLElement>('.timeline')
  const { left = 0, right = 0, top = 0, bottom = 0 } = scroller?.getBoundingClientRect() ?? {}
  /** Returns the position within the scrolled content. */
  const scrolledTop = (clientY: number) => clientY - top + (scroller?.scrollTop ?? 0)
  const lanes = [...(scroller?.querySelectorAll<HTMLElement>('[data-person]') ?? [])].map((element) => {
    const box = element.getBoundingClientRect()
    return { element, top: scrolledTop(box.top), bottom: scrolledTop(box.bottom) }
  })
  const overlay = document.createElement('div')
  overlay.className = 'timeline-veil'
  overlay.style.height = `${scroller?.scrollHeight ?? 0}px`
  scroller?.append(overlay)
  let marked: HTMLElement | undefined
  const setMarked = (next: HTMLElement | undefined) => {
    if (next === marked) return
    marked?.classList.remove('drop')
    marked = next
    marked?.classList.add('drop')
  }
  return {
    /** Marks the lane below the pointer, if any. */
    mark(clientX: number, clientY: number) {
      const isWithin = clientX >= left && clientX < right && clientY >= top && clientY < bottom
      const y = scrolledTop(clientY)
      setMarked(isWithin ? lanes.find((lane) => y >= lane.top && y < lane.bottom)?.element : undefined)
    },
    /** Removes the overlay, and returns the id of the person of the marked lane. */
    close() {
      const userId = marked?.dataset.person
      setMarked(undefined)
      overlay.remove()
      return userId
    },
  }
}
