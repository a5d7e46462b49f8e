import { useEffect, useState } from 'preact/hooks'
import { type Services, useServices } from '../services/services.ts'
import type { MessageKey } from '../texts/text.ts'
import { markdownKeys } from '../ui/markdown-keys.ts'
import { findTargetIds } from './targets.ts'

/** The layer that is open in front of the page. */
export type Overlay =
  | { readonly kind: 'palette' | 'shortcuts' }
  /** `name` is that of the new assignment, where it was typed before. */
  | { readonly kind: 'choose-project'; readonly name?: string }
  | { readonly kind: 'new-assignment'; readonly projectId: string; readonly name?: string | undefined }
  | { readonly kind: 'choose-value'; readonly field: AssignmentField; readonly ids: readonly string[] }
  | undefined

/** The fields that have a key. */
export type AssignmentField = 'stage' | 'person' | 'labels' | 'priority' | 'end'

interface Actors extends Pick<Services, 'configuration' | 'router'> {
  open(overlay: Overlay): void
}

export interface Shortcut {
  /** The names of the keys, as the list of shortcuts shows them. */
  readonly keys: readonly string[]
  /** Another key that does the same. */
  readonly alias?: string
  readonly description: MessageKey
  /** The page to which it leads. */
  readonly href?: string
  /** Absent without the extensions. */
  readonly isExtension?: boolean
  /**
   * Missing for keys of cards, rows and cells, which have their own listeners. The result false leaves the
   * key to the browser.
   */
  run?(actors: Actors): unknown
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
    { key: 'S', field: 'stage', description: 'Move to a stage…' },
    { key: 'A', field: 'person', description: 'Assign to a person…' },
    { key: 'L', field: 'labels', description: 'Add or remove a label…', isExtension: true },
    { key: 'P', field: 'priority', description: 'Set the priority…', isExtension: true },
    { key: 'D', field: 'end', description: 'Set the end…' },
  ] as const
).map(({ key, ...rest }) => ({
  ...rest,
  keys: [key],
  run({ configuration, router, open }) {
    const ids = findTargetIds(router.address.peek().pathname)
    if (ids.length === 0 || ('isExtension' in rest && !configuration.extensions)) return false
    return open({ kind: 'choose-value', field: rest.field, ids })
  },
}))

/** All shortcuts of the client, in the order of their list. Those with `run` work wherever no text is being typed. */
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
      { keys: ['Shift', 'F'], description: 'Filter a project', run: () => clickDeclared('Shift+F') || false },
      { keys: ['↓'], description: 'Move into the cards or rows', run: () => enterCards() },
      { keys: ['Ctrl', 'Z'], description: 'Undo the last change' },
      { keys: ['?'], description: 'Show these shortcuts', run: ({ open }) => open({ kind: 'shortcuts' }) },
    ],
  },
  {
    title: 'Go to',
    shortcuts: [
      goTo('M', '/my-work', 'Go to my work'),
      goTo('P', '/projects', 'Go to the projects'),
      goTo('W', '/week', 'Go to my week'),
      goTo('I', '/impediments', 'Go to the impediments'),
      goTo('N', '/inbox', 'Go to the inbox'),
      goTo('R', '/reports', 'Go to the reports'),
    ],
  },
  {
    title: 'Assignments',
    shortcuts: [
      { keys: ['← ↑ → ↓'], description: 'Move between cards' },
      { keys: ['Shift', '← →'], description: 'Move a card to the next stage' },
      { keys: ['Shift', '↑ ↓'], description: 'Move a card up or down, if ordered by hand' },
      ...assignmentKeys,
      { keys: ['M'], description: 'Choose the stage of a card' },
      { keys: ['T'], description: 'Start or stop the timer of a card' },
      { keys: ['F2'], description: 'Rename a card' },
      {
        keys: ['F'],
        description: 'Show the open assignment on the whole page',
        run: () => clickDeclared('F') || false,
      },
      { keys: ['X'], description: 'Select an assignment of the list' },
    ],
  },
  {
    title: 'Calendar and timeline',
    shortcuts: [
      { keys: ['Shift', '← →'], description: 'In calendar and timeline: a day earlier or later' },
      { keys: ['Shift', 'Alt', '← →'], description: 'In the timeline: the end a day earlier or later' },
      { keys: ['Shift', '↑ ↓'], description: 'In the timeline: assign to the person above or below' },
    ],
  },
  {
    title: 'Texts',
    shortcuts: [
      { keys: markdownKeys.Bold, description: 'Bold' },
      { keys: markdownKeys.Italic, description: 'Italic' },
      { keys: markdownKeys.Link, description: 'Link' },
      { keys: ['Ctrl', 'Enter'], description: 'Save or send the text' },
    ],
  },
  {
    title: 'Week and inbox',
    shortcuts: [
      { keys: ['F2'], description: 'In the week: open the entries of a cell' },
      { keys: ['E'], description: 'In the inbox: mark as read' },
      { keys: ['U'], description: 'In the inbox: mark as unread' },
    ],
  },
]

/** Returns the keys of a shortcut, named by its description or the page to which it leads. */
export const keysOf = (named: string): readonly string[] =>
  shortcutGroups
    .flatMap(({ shortcuts }) => shortcuts)
    .find(({ description, href }) => description === named || href === named)?.keys ?? []

/** Returns the actions by the names of their keys in lower case, such as `g m`. */
function runsByKeys(): ReadonlyMap<string, NonNullable<Shortcut['run']>> {
  const all = shortcutGroups.flatMap(({ shortcuts }) => shortcuts)
  return new Map(
    all.flatMap(({ keys, alias, run }) =>
      run === undefined
        ? []
        : [keys.join(' '), ...(alias === undefined ? [] : [alias])].map((name) => [name.toLowerCase(), run]),
    ),
  )
}

/** The time for the second key after G. */
const secondKeyMilliseconds = 1500

/** Keys that work wherever no text is being typed. */
export function useShortcuts(): { readonly overlay: Overlay; open(overlay: Overlay): void } {
  const { configuration, router } = useServices()
  const [overlay, setOverlay] = useState<Overlay>()
  useEffect(() => listenToKeys({ configuration, router, open: setOverlay }), [router])
  return { overlay, open: setOverlay }
}

function listenToKeys(actors: Actors): () => void {
  const runs = runsByKeys()
  let sequenceEndsAt = 0
  /** Returns the action of a key, which also ends the sequence that it may belong to. */
  const consumeKey = (event: KeyboardEvent): Shortcut['run'] => {
    const key = keyNames[event.key] ?? event.key.toLowerCase()
    if (event.ctrlKey || event.metaKey) return runs.get(`ctrl ${key}`)
    if (isHandledElsewhere(event) || modifierKeys.has(event.key)) return undefined
    const begins = [Date.now() < sequenceEndsAt && 'g ', event.shiftKey && 'shift ', '']
    const run = begins.map((begin) => runs.get(`${begin}${key}`)).find((one) => one !== undefined)
    sequenceEndsAt = key === 'g' ? Date.now() + secondKeyMilliseconds : 0
    return run
  }
  const onKey = (event: KeyboardEvent) => {
    const run = consumeKey(event)
    if (run !== undefined && run(actors) !== false) event.preventDefault()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

const keyNames: Readonly<Record<string, string>> = { ArrowDown: '↓' }

/** Pressing one of these neither starts nor ends a key sequence. */
const modifierKeys: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'])

/** Returns whether a key belongs to a text field, a dialog, a menu, or the browser, or is held down. */
function isHandledElsewhere({ target, altKey, repeat, defaultPrevented }: KeyboardEvent): boolean {
  const isInControl =
    target instanceof Element &&
    target.closest('input, textarea, select, dialog, [role=menu], [role=listbox]') !== null
  return altKey || repeat || defaultPrevented || isInControl
}

function focusFirst(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector)
  found?.focus()
  return found !== null
}

/** Clicks the button of the current screen that declares the shortcut, as it does for assistive technology. */
function clickDeclared(key: string): boolean {
  const button = document.querySelector<HTMLElement>(`main [aria-keyshortcuts="${key}"]`)
  button?.click()
  return button !== null
}

/** Moves the focus into the list. A control that has the focus keeps its own arrow keys. */
function enterCards(): boolean {
  const isOnPage = document.activeElement?.matches('body, main, h1') ?? true
  return isOnPage && focusFirst('main :is([id^="card-"], .row-link, .row a)')
}
