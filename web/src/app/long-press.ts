/** A finger that rests for this long asks for a menu. */
const pressMilliseconds = 500
/** A finger that rests may move this much. */
const stillPixels = 10

/**
 * Calls `open` if the finger rests where it was put. A finger that moves earlier scrolls or drags. This file is in
 * the first script: if it were loaded after the press, a finger that is lifted meanwhile would go unnoticed.
 */
export function followPress(press: PointerEvent, open: () => void): void {
  const controller = new AbortController()
  const { signal } = controller
  // A finger that holds a bar of the timeline drags it, unless it is lifted where it was put.
  const opensOnRelease = press.target instanceof Element && press.target.closest('.timeline-track') !== null
  let hasRested = false
  const rest = () => {
    hasRested = true
    if (!opensOnRelease) open()
  }
  const timer = setTimeout(rest, pressMilliseconds)
  const end = () => {
    clearTimeout(timer)
    controller.abort()
  }
  const release = () => {
    end()
    if (!hasRested) return
    ignoreClick()
    if (opensOnRelease) open()
  }
  const move = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - press.clientX, clientY - press.clientY) > stillPixels) end()
  }
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', release, { signal })
  // The browser cancels the press when it begins to scroll. A second finger zooms.
  for (const type of ['pointercancel', 'pointerdown', 'scroll'])
    addEventListener(type, end, { signal, capture: true })
  // Some browsers would drag the card at about the same time.
  addEventListener('dragstart', cancelEvent, { signal, capture: true })
}

/** In some browsers, the release of a long press is a click. It would open the assignment, or focus a field. */
function ignoreClick(): void {
  const controller = new AbortController()
  const options = { capture: true, signal: controller.signal }
  for (const type of ['mousedown', 'click']) addEventListener(type, cancelEvent, options)
  for (const type of ['click', 'pointerdown', 'keydown'])
    addEventListener(type, () => controller.abort(), options)
}

function cancelEvent(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}
