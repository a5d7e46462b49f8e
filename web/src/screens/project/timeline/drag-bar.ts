import type { TargetedPointerEvent } from 'preact'
import type { Shift } from '../use-reschedule.ts'

/** Below this a press is a click. */
const clickPixels = 4
/** From the right edge inwards the end alone is dragged. */
const edgePixels = 10

export interface DragOptions {
  /** How wide a day is drawn. */
  readonly dayPixels: number
  readonly endsAfter: boolean
  onDrop(shift: Shift): void
}

/** Follows the pointer with a bar, over days and people; Escape leaves everything as it was. */
export function dragBar(event: TargetedPointerEvent<HTMLElement>, options: DragOptions): void {
  // A finger scrolls.
  if (event.button !== 0 || event.pointerType === 'touch') return
  const { currentTarget: bar, clientX: startX, clientY: startY } = event
  const { dayPixels, endsAfter, onDrop } = options
  const isEnd = !endsAfter && startX > bar.getBoundingClientRect().right - edgePixels
  const width = bar.offsetWidth
  const over = new AbortController()
  let isDragging = false
  let lane: Element | null = null
  const daysAt = (clientX: number) => Math.round((clientX - startX) / dayPixels)
  const mark = (next: Element | null) => {
    lane?.classList.remove('drop')
    lane = next
    lane?.classList.add('drop')
  }
  const onMove = (move: PointerEvent) => {
    isDragging ||= Math.hypot(move.clientX - startX, move.clientY - startY) > clickPixels
    if (!isDragging) return
    bar.classList.add('dragging')
    const x = daysAt(move.clientX) * dayPixels
    if (isEnd) bar.style.width = `${Math.max(dayPixels, width + x)}px`
    else {
      bar.style.transform = `translate(${x}px, ${move.clientY - startY}px)`
      mark(document.elementFromPoint(move.clientX, move.clientY)?.closest('[data-person]') ?? null)
    }
  }
  const finish = () => {
    over.abort()
    const userId = lane instanceof HTMLElement ? lane.dataset.person : undefined
    mark(null)
    bar.classList.remove('dragging')
    bar.style.transform = ''
    bar.style.width = ''
    return userId
  }
  const onUp = (up: PointerEvent) => {
    const userId = finish()
    if (!isDragging) return
    swallowClick()
    const days = daysAt(up.clientX)
    onDrop(isEnd ? { endDays: days } : { days, ...(userId && { userId }) })
  }
  const { signal } = over
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', onUp, { signal })
  addEventListener('pointercancel', finish, { signal })
  addEventListener('keydown', (key) => key.key === 'Escape' && finish(), { signal })
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
