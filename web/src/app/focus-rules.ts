import { resultSelector } from './use-shortcuts.ts'

/** Keeps the focus where the keys of a screen work: after a search, and when the focused element is removed. */
export function keepFocus(): void {
  addEventListener('keydown', leaveSearch)
  followRemovals()
}

/** Results that are not there after this many tries are not waited for. */
const triesMax = 20
const tryMilliseconds = 100

/**
 * Enter and the arrow lead from a search field to the first result, and keep the text. Escape clears the text, and
 * then leaves the field.
 */
function leaveSearch(event: KeyboardEvent): void {
  const { target: field, key, defaultPrevented } = event
  if (!(field instanceof HTMLInputElement) || field.type !== 'search' || defaultPrevented) return
  const isInDialog = field.closest('dialog') !== null
  if (key === 'Escape' && field.value !== '') {
    event.preventDefault()
    field.value = ''
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  } else if (key === 'Escape' && !isInDialog) field.blur()
  else if ((key === 'Enter' || key === 'ArrowDown') && !isInDialog) {
    event.preventDefault()
    enterResults(field, field.value, 0)
  }
}

/** Waits until the results belong to the text, which the address contains, unless the user goes on typing. */
function enterResults(field: HTMLInputElement, text: string, tries: number): void {
  if (document.activeElement !== field || field.value !== text || tries > triesMax) return
  const searched = new URLSearchParams(location.search).get('search') ?? ''
  const isUpToDate = searched === text.trim() && document.querySelector('main [aria-busy=true]') === null
  const first = `${resultSelector}, main .row button:enabled`
  const found = isUpToDate ? document.querySelector<HTMLElement>(first) : null
  if (found) found.focus()
  else setTimeout(() => enterResults(field, text, tries + 1), tryMilliseconds)
}

/** Within this time, the component that has removed the focused element may focus another one. */
const delayMilliseconds = 150

/** Moves the focus to a place nearby when the focused element is removed. The browser would leave it nowhere. */
function followRemovals(): void {
  let last = document.activeElement
  addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : null
  })
  addEventListener('focusout', () =>
    // An element that is being removed is still in the page during the event.
    queueMicrotask(() => {
      if (last?.isConnected && isNothingFocused()) last = null
    }),
  )
  const observer = new MutationObserver((records) => {
    if (last === null || last.isConnected) return
    const places = placesNear(last, records)
    last = null
    setTimeout(() => {
      if (isNothingFocused()) places.find(isInView)?.focus({ preventScroll: true })
    }, delayMilliseconds)
  })
  observer.observe(document.body, { childList: true, subtree: true })
}

const isNothingFocused = (): boolean => document.activeElement === document.body

/** Scrolling removes rows, too, far from what is in view. */
function isInView(element: HTMLElement): boolean {
  // A removed element has no box: both are 0.
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}

/** Layers return the focus to what opened them, and a page gives it to its heading. */
const hasOwnFocus = 'dialog, [popover], .panel, .page, .toast'

/** If nothing like the removed element is left in one of these, this part of it takes the focus. */
const heads = [
  ['.column', '.column-header > button:last-child'],
  ['.panel', '#panel-title'],
  ['dialog', 'input, button'],
] as const

/**
 * Returns the same control of the next and the previous elements of the same kind, then what has replaced the removed
 * element, and the head of what contained it.
 */
function placesNear(lost: Element, records: readonly MutationRecord[]): readonly HTMLElement[] {
  const find = (node: Node) =>
    records.find(({ removedNodes }) => [...removedNodes].some((removed) => removed.contains(node)))
  const record = find(lost)
  const removed = [...(record?.removedNodes ?? [])].find((node) => node.contains(lost))
  const parent = record?.target
  if (!(removed instanceof Element) || !(parent instanceof Element) || removed.matches(hasOwnFocus)) return []
  // The next element may have been removed, too.
  let next = record?.nextSibling
  while (next && !next.isConnected) next = find(next)?.nextSibling
  const siblings = [...parent.children]
  const position = next instanceof Element ? siblings.indexOf(next) : siblings.length
  const index = controlsIn(removed).indexOf(lost)
  const added = records.flatMap(({ target, addedNodes }) => (target === parent ? [...addedNodes] : []))
  return [
    ...[...siblings.slice(position), ...siblings.slice(0, position).toReversed()]
      .filter(
        ({ tagName, classList }) => tagName === removed.tagName && classList[0] === removed.classList[0],
      )
      .map((sibling) => sameControl(controlsIn(sibling), index)),
    ...added.map((node) => (node instanceof Element ? controlsIn(node)[0] : undefined)),
    ...heads.map(([part, head]) => parent.closest(part)?.querySelector(head)),
  ].filter((place) => place instanceof HTMLElement)
}

/** Keys work on the card or the name of an assignment, which is the first of its controls. */
const sameControl = (controls: readonly Element[], index: number): Element | undefined =>
  controls.find(({ id }) => id.startsWith('card-')) ?? controls[index] ?? controls.at(-1)

/** Returns the controls of an element, which may be a control itself. */
const controlsIn = (element: Element): readonly Element[] =>
  [element, ...element.querySelectorAll('*')].filter((control) =>
    control.matches('a[href], button:enabled, input:enabled, select, textarea'),
  )
