import { useEffect, useState } from 'preact/hooks'
import { selectedIds } from '../screens/project/shown-list.ts'
import { assignmentElementId } from '../screens/project/use-card-focus.ts'
import { type Services, useServices } from '../services/services.ts'
import type { MessageKey } from '../texts/text.ts'
import { type Anchor, phone } from '../ui/viewport.ts'

/** The layer that is open in front of the page. */
export type Overlay =
  | { readonly kind: 'palette' | 'shortcuts' }
  /** `name` is the name of the new assignment, if the user has already typed it. */
  | { readonly kind: 'choose-project'; readonly name?: string }
  | { readonly kind: 'new-assignment'; readonly projectId: string; readonly name?: string | undefined }
  /** Shows all actions on the assignments, unless a field is given. */
  | {
      readonly kind: 'assignment'
      readonly field?: AssignmentField
      readonly ids: readonly string[]
      readonly at?: Anchor | 'bottom' | undefined
    }
  | undefined

/** The fields of an assignment that are chosen from a list. */
export type AssignmentField = 'stage' | 'person' | 'labels' | 'priority' | 'end' | 'start' | 'type' | 'hours'

interface ShortcutContext extends Pick<Services, 'configuration' | 'router'> {
  open(overlay: Overlay): void
}

interface Shortcut {
  /** The names of the keys that the list of shortcuts shows. */
  readonly keys: readonly string[]
  /** Another key for the same action. */
  readonly alias?: string
  readonly description: MessageKey
  /** The path of the screen that it opens. */
  readonly href?: string
  /** True if it needs the extensions. */
  readonly isExtension?: boolean
  /**
   * Missing for keys that have their own listeners: those of cards, rows and cells, and undo and redo
   * (`ui/toasts.tsx`). If it returns false, the browser handles the key.
   */
  run?(context: ShortcutContext): unknown
}

export interface ShortcutGroup {
  readonly title: MessageKey
  readonly shortcuts: readonly Shortcut[]
}

const goTo = (letter: string, href: string, description: MessageKey): Shortcut => ({
  keys: ['G', letter],
  description,
  href,
  run: ({ router }) => router.go(href),
})

/** Keys that choose a value for the selected, focused or open assignments. */
export const assignmentKeys: readonly (Shortcut & { readonly field: AssignmentField })[] = (
  [
    { key: 'S', alias: 'M', field: 'stage', description: 'Move to a stage…' },
    { key: 'P', field: 'priority', description: 'Set the priority…', isExtension: true },
    { key: 'A', field: 'person', description: 'Assign to a person…' },
    { key: 'L', field: 'labels', description: 'Add or remove a label…', isExtension: true },
    { key: 'D', field: 'end', description: 'Set the end…' },
  ] as const
).map(({ key, ...shortcut }) => ({
  ...shortcut,
  keys: [key],
  run({ configuration, open }) {
    const ids = findTargetIds()
    if (ids.length === 0 || ('isExtension' in shortcut && !configuration.extensions)) return false
    return open({
      kind: 'assignment',
      field: shortcut.field,
      ids,
      at: ids.length === 1 ? placeOf(ids[0], shortcut.field) : undefined,
    })
  },
}))

/**
 * The shortcuts that are not specific to a view, in the order of the list. Shortcuts with `run` work on every
 * screen. While the user is typing, only shortcuts with Ctrl work.
 */
export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'Anywhere',
    shortcuts: [
      {
        keys: ['Ctrl', 'K'],
        description: 'Search or run a command',
        run: ({ open }) => open({ kind: 'palette' }),
      },
      {
        keys: ['N'],
        alias: 'C',
        description: 'New assignment',
        run: ({ open }) => clickDeclared('N') || open({ kind: 'choose-project' }),
      },
      {
        keys: ['/'],
        description: 'Search on this screen',
        run: ({ open }) => focusFirst('main input[type=search]') || open({ kind: 'palette' }),
      },
      { keys: ['Shift', 'F'], description: 'Filter a project', run: () => clickDeclared('Shift+F') },
      { keys: ['↓'], description: 'Move into the assignments', run: () => enterCards() },
      { keys: ['Ctrl', 'Z'], description: 'Undo the last change' },
      { keys: ['Ctrl', 'Shift', 'Z'], description: 'Redo the last undone change' },
      { keys: ['?'], description: 'Show these shortcuts', run: ({ open }) => open({ kind: 'shortcuts' }) },
    ],
  },
  {
    title: 'Go to',
    shortcuts: [
      goTo('M', '/my-work', 'My work'),
      goTo('P', '/projects', 'Projects'),
      goTo('W', '/week', 'My week'),
      goTo('I', '/impediments', 'Impediments'),
      goTo('N', '/inbox', 'Inbox'),
      goTo('R', '/reports', 'Reports'),
    ],
  },
  {
    title: 'Assignments',
    shortcuts: [
      { keys: ['← ↑ → ↓'], description: 'Move between assignments' },
      { keys: ['Shift', '← →'], description: 'Move an assignment to the previous or next stage' },
      { keys: ['Shift', '↑ ↓'], description: 'Move an assignment up or down, if ordered by hand' },
      ...assignmentKeys,
      { keys: ['T'], description: 'Start or stop the timer of an assignment' },
      { keys: ['F2'], description: 'Rename an assignment', run: () => focusFirst('.panel-name') },
      {
        keys: ['F'],
        description: 'Show the open assignment on the whole page',
        run: () => clickDeclared('F'),
      },
      { keys: ['K'], description: 'Previous assignment', run: () => clickDeclared('K') },
      { keys: ['J'], description: 'Next assignment', run: () => clickDeclared('J') },
    ],
  },
]

/** Returns the keys of the shortcut with a description, or of the shortcut that opens a path. */
export const keysOf = (descriptionOrPath: string): readonly string[] =>
  shortcutGroups
    .flatMap(({ shortcuts }) => shortcuts)
    .find(({ description, href }) => description === descriptionOrPath || href === descriptionOrPath)?.keys ??
  []

/** Maps the names of keys, in lower case and separated by spaces, such as `g m`, to actions. */
function actionsByKeys(): ReadonlyMap<string, NonNullable<Shortcut['run']>> {
  const all = shortcutGroups.flatMap(({ shortcuts }) => shortcuts)
  return new Map(
    all.flatMap(({ keys, alias, run }) =>
      run === undefined
        ? []
        : [keys.join(' '), ...(alias === undefined ? [] : [alias])].map((name) => [name.toLowerCase(), run]),
    ),
  )
}

/** The second key of a sequence must follow G within this time. */
const secondKeyMilliseconds = 1500

/**
 * Listens to the keys and the pointer on every screen. Returns the overlay that is open, and a function that
 * opens one.
 */
export function useShortcuts(): { readonly overlay: Overlay; open(overlay: Overlay): void } {
  const { configuration, router } = useServices()
  const [overlay, setOverlay] = useState<Overlay>()
  useEffect(() => listenToKeys({ configuration, router, open: setOverlay }), [router])
  useEffect(() => listenToPointer(setOverlay), [])
  return { overlay, open: setOverlay }
}

function listenToKeys(context: ShortcutContext): () => void {
  const actions = actionsByKeys()
  let sequenceEndsAt = 0
  /** Returns the action of a key. G begins a sequence, and the next key ends it. */
  const consumeKey = (event: KeyboardEvent): Shortcut['run'] => {
    const key = keyNames[event.key] ?? event.key.toLowerCase()
    if (event.ctrlKey || event.metaKey) return actions.get(`ctrl ${key}`)
    if (isHandledElsewhere(event) || modifierKeys.has(event.key)) return undefined
    const isAfterG = Date.now() < sequenceEndsAt
    const action = namesOf(key, event, isAfterG)
      .map((name) => actions.get(name))
      .find((found) => found !== undefined)
    sequenceEndsAt = key === 'g' ? Date.now() + secondKeyMilliseconds : 0
    return action
  }
  const onKey = (event: KeyboardEvent) => {
    const run = consumeKey(event)
    if (run !== undefined && run(context) !== false) event.preventDefault()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

/** Returns the names that a key may have: after G, with Shift, and by itself. */
const namesOf = (key: string, { shiftKey }: KeyboardEvent, isAfterG: boolean): readonly string[] => [
  ...(isAfterG ? [`g ${key}`] : []),
  ...(shiftKey ? [`shift ${key}`] : []),
  key,
]

/**
 * A click on a value of a card or row opens the choice of another value. A click on a button for a new
 * assignment opens its dialog, or first the choice of its project. A right click, the menu key or a long press opens the menu of
 * all actions.
 */
function listenToPointer(open: ShortcutContext['open']): () => void {
  const onClick = (event: MouseEvent) => {
    if (!(event.target instanceof Element)) return
    const creator = event.target.closest<HTMLElement>('[data-new-assignment]')
    if (creator) {
      const projectId = creator.dataset.newAssignment
      return open(projectId ? { kind: 'new-assignment', projectId } : { kind: 'choose-project' })
    }
    const value = event.target.closest<HTMLElement>('[data-field]')
    const id = value ? findIdAt(value) : undefined
    if (!value || id === undefined) return
    event.preventDefault()
    focusValue(value, id)
    open({ kind: 'assignment', field: value.dataset.field as AssignmentField, ids: [id], at: value })
  }
  const openMenu = (id: string, at: Anchor | 'bottom') => {
    focusCard(id)
    const ids = selectedIds.peek().includes(id) ? selectedIds.peek() : [id]
    open({ kind: 'assignment', ids, at })
  }
  const onContextMenu = (event: MouseEvent) => {
    const id = event.target instanceof Element ? findIdAt(event.target) : undefined
    // Shift asks for the browser's menu.
    if (id === undefined || event.shiftKey) return
    event.preventDefault()
    // A finger opens the menu by a long press, in `onPointerDown`.
    if ((event as PointerEvent).pointerType === 'touch') return
    const point = new DOMRect(event.clientX, event.clientY)
    openMenu(id, { getBoundingClientRect: () => point })
  }
  const onPointerDown = (event: PointerEvent) => {
    const id = event.target instanceof Element ? findIdAt(event.target) : undefined
    if (id === undefined || event.pointerType !== 'touch' || !event.isPrimary) return
    followPress(event, () => openMenu(id, 'bottom'))
  }
  const controller = new AbortController()
  const { signal } = controller
  addEventListener('click', onClick, { signal })
  addEventListener('contextmenu', onContextMenu, { signal })
  addEventListener('pointerdown', onPointerDown, { signal })
  return () => controller.abort()
}

/** Focuses the cell or card of a value. The focus returns there after the choice, so that keys work on it. */
function focusValue(value: HTMLElement, id: string): void {
  const cell = value.role === 'gridcell' ? value : document.getElementById(assignmentElementId(id))
  if (cell === value) cell.tabIndex = -1
  cell?.focus({ preventScroll: true })
}

const focusCard = (id: string) =>
  document.getElementById(assignmentElementId(id))?.focus({ preventScroll: true })

const keyNames: Readonly<Record<string, string>> = { ArrowDown: '↓' }

/** These keys neither start nor end a key sequence. */
const modifierKeys: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'])

/**
 * Returns whether a key belongs to a text field, a dialog, a menu, or the browser, or is held down. The boxes
 * that select rows need no letters.
 */
function isHandledElsewhere({ target, altKey, repeat, defaultPrevented }: KeyboardEvent): boolean {
  const isInControl =
    target instanceof Element &&
    target.closest('input:not(.list-check *), textarea, select, dialog, [role=menu], [role=listbox]') !== null
  return altKey || repeat || defaultPrevented || isInControl
}

function focusFirst(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector)
  found?.focus()
  return found !== null
}

/** Clicks the button of the current screen whose `aria-keyshortcuts` is this key. */
function clickDeclared(key: string): boolean {
  const button = document.querySelector<HTMLElement>(`main [aria-keyshortcuts="${key}"]`)
  button?.click()
  return button !== null
}

/** Matches cards, rows and bars, unless they are in the panel. */
export const resultSelector = 'main :is([id^="card-"], .row-link, .row a):not(.panel *)'

/** Moves the focus to the first card or row, unless a focused control needs the arrow keys. */
function enterCards(): boolean {
  const isOnPage = document.activeElement?.matches('body, main, h1') ?? true
  return isOnPage && focusFirst(resultSelector)
}

const idOf = (element: HTMLElement | null | undefined): string | undefined =>
  element?.dataset.row ?? element?.id.slice('card-'.length)

/** Returns the id of the assignment whose card, row or bar contains the element. */
const findIdAt = (element: Element | null): string | undefined =>
  idOf(element?.closest<HTMLElement>('[data-row], [id^="card-"]'))

/** Returns where a value is chosen: next to the cell of a list, the card, or the name in a row. */
const placeOf = (id: string | undefined, field: string): Element | undefined =>
  document.querySelector(`.list-row[data-row="${id}"] [data-field="${field}"]`) ??
  document.querySelector(`.card[data-row="${id}"], .work-row[data-row="${id}"] a`) ??
  undefined

/** Returns the id of the assignment whose card, row or bar is focused. */
const focusedId = () => findIdAt(document.activeElement)

/** Returns the id of the assignment whose card or row is under the pointer. A finger leaves none on a phone. */
const pointedId = () =>
  matchMedia(phone).matches
    ? undefined
    : idOf(document.querySelector<HTMLElement>('.list-row:hover, .work-row:hover, .card:hover [id^="card-"]'))

/** Returns the id of the assignment that is open, on whatever screen. */
const openId = () => document.querySelector<HTMLElement>('.panel')?.dataset.assignment

/** Returns whether the focus is in the panel of the open assignment. */
const isInPanel = (): boolean => document.activeElement?.closest('.panel') != null

/**
 * Returns the id of the focused assignment, or else of the assignment under the pointer or of the open
 * assignment.
 */
export const findTargetId = (): string | undefined =>
  focusedId() ?? (isInPanel() ? undefined : pointedId()) ?? openId()

/** Returns the ids of selected assignments unless the focus is in the panel, or else the id of the target. */
function findTargetIds(): readonly string[] {
  if (!isInPanel() && selectedIds.peek().length > 0) return selectedIds.peek()
  const targetId = findTargetId()
  return targetId === undefined ? [] : [targetId]
}

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
