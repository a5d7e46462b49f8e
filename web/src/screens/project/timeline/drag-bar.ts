import type { TargetedPointerEvent } from 'preact'
import { lineDirection } from '../../../ui/place.ts'
import type { Shift } from '../use-reschedule.ts'

/** Below this a press is a click. */
const clickPixels = 4
/** From where the bar ends inwards, the end alone is dragged; fingers need more, and the rest of a short bar. */
const edgePixels = { mouse: 10, touch: 24 }
/** A finger that stays on a bar for so long means the bar; one that moves before that scrolls. */
const holdMilliseconds = 350
/** A finger that stays still moves nevertheless. */
const holdPixels = 10

export interface DragOptions {
  /** How wide a day is drawn. */
  readonly dayPixels: number
  readonly beginsBefore: boolean
  readonly endsAfter: boolean
  onDrop(shift: Shift): void
}

type Press = Pick<PointerEvent, 'clientX' | 'clientY' | 'pointerId' | 'pointerType'>

/** Follows the pointer, or a finger that was held on it, with a bar, over days and people; Escape leaves everything as it was. */
export function dragBar(event: TargetedPointerEvent<HTMLElement>, options: DragOptions): void {
  if (event.button !== 0) return
  const bar = event.currentTarget
  if (event.pointerType === 'touch') afterHolding(event, () => followPress(bar, event, options))
  else followPress(bar, event, options)
}

/** What is dragged does not scroll. To be asked from the first touch on: a browser that scrolls already goes on. */
export function keepFromScrolling(event: TouchEvent): void {
  if (event.target instanceof Element && event.target.closest('.dragging')) event.preventDefault()
}

function afterHolding({ clientX, clientY }: Press, begin: () => void): void {
  const over = new AbortController()
  const { signal } = over
  const timer = setTimeout(() => {
    over.abort()
    begin()
  }, holdMilliseconds)
  const leave = () => {
    clearTimeout(timer)
    over.abort()
  }
  const onMove = (move: PointerEvent) => {
    if (Math.hypot(move.clientX - clientX, move.clientY - clientY) > holdPixels) leave()
  }
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', leave, { signal })
  addEventListener('pointercancel', leave, { signal })
  // A second finger. Captured, because the first one's own event is still on its way up.
  addEventListener('pointerdown', leave, { signal, capture: true })
}

function followPress(bar: HTMLElement, press: Press, options: DragOptions): void {
  const { dayPixels, beginsBefore, endsAfter, onDrop } = options
  const { clientX: startX, clientY: startY, pointerId, pointerType } = press
  const isTouch = pointerType === 'touch'
  const width = bar.offsetWidth
  const edge = Math.min(edgePixels[isTouch ? 'touch' : 'mouse'], width / 3)
  const isEnd = !endsAfter && pixelsToEnd(bar, startX) < edge
  const over = new AbortController()
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
    over.abort()
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
    // Of one that begins earlier than is shown, the end goes no further than one could see.
    const least = beginsBefore ? 1 - Math.round(width / dayPixels) : days
    onDrop(isEnd ? { endDays: Math.max(days, least) } : { days, ...(userId && { userId }) })
  }
  const { signal } = over
  if (isTouch) begin()
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', onUp, { signal })
  addEventListener('pointercancel', finish, { signal })
  addEventListener('keydown', (key) => key.key === 'Escape' && finish(), { signal })
  // What a browser offers for a link that is held.
  addEventListener('contextmenu', (menu) => menu.preventDefault(), { signal })
}

/** The end stays on the first day that is shown. */
function drawUntil(bar: HTMLElement, width: number, dayPixels: number): void {
  bar.style.width = `${Math.max(dayPixels, width)}px`
  bar.classList.toggle('at-limit', Math.round(width) < Math.round(dayPixels))
}

function pixelsToEnd(bar: HTMLElement, clientX: number): number {
  const { left, right } = bar.getBoundingClientRect()
  return lineDirection() > 0 ? right - clientX : clientX - left
}

/** The click that ends a drag opens nothing. */
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
 * The lanes while a bar is dragged over them. Where they are is looked up once, and a veil lies over them: to find out what is below
 * the pointer a browser goes through hundreds of bars, at each move, and that cost more than all the rest.
 */
function createLanes(bar: HTMLElement) {
  const scroller = bar.closest<HTMLElement>('.timeline')
  const { left = 0, right = 0, top = 0, bottom = 0 } = scroller?.getBoundingClientRect() ?? {}
  /** From the first lane's beginning, wherever it has been scrolled to. */
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
    /** Whose lane was marked last. */
    leave() {
      const userId = marked?.dataset.person
      change(undefined)
      veil.remove()
      return userId
    },
  }
}
