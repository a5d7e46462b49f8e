import { useEffect, useState } from 'preact/hooks'
import type { Router } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import type { MessageKey } from '../texts/text.ts'

export interface Shortcut {
  readonly keys: readonly string[]
  readonly description: MessageKey
}

/** The time for the second key after G. */
const secondKeyMilliseconds = 1500

/** The address that each letter leads to after G. */
const destinations: Readonly<Record<string, { readonly href: string; readonly description: MessageKey }>> = {
  m: { href: '/my-work', description: 'Go to my work' },
  p: { href: '/projects', description: 'Go to the projects' },
  w: { href: '/week', description: 'Go to my week' },
  i: { href: '/impediments', description: 'Go to the impediments' },
  n: { href: '/inbox', description: 'Go to the inbox' },
  r: { href: '/reports', description: 'Go to the reports' },
}

/**
 * The entries of the list of shortcuts. This file handles Ctrl+K, /, C, G and ?; the board card, the rows of the list, the calendar, the
 * timeline and the week handle the others, with their own listeners.
 */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['Ctrl', 'K'], description: 'Search or run a command' },
  { keys: ['/'], description: 'Search on this screen' },
  { keys: ['C'], description: 'New assignment, in a project' },
  ...Object.entries(destinations).map(([key, { description }]) => ({
    keys: ['G', key.toUpperCase()],
    description,
  })),
  { keys: ['Shift', '← →'], description: 'Move a card to the next stage' },
  { keys: ['Shift', '↑ ↓'], description: 'Ordered by hand: a card up or down' },
  { keys: ['Shift', '← →'], description: 'In calendar and timeline: a day earlier or later' },
  { keys: ['Shift', 'Alt', '← →'], description: 'In the timeline: the end a day earlier or later' },
  { keys: ['Shift', '↑ ↓'], description: 'In the timeline: assign to the person above or below' },
  { keys: ['X'], description: 'Select an assignment of the list' },
  { keys: ['M'], description: 'Choose the stage of a card' },
  { keys: ['T'], description: 'Start or stop the timer of a card' },
  { keys: ['F'], description: 'Show the open assignment on the whole page' },
  { keys: ['F2'], description: 'Rename a card' },
  { keys: ['F2'], description: 'In the week: open the entries of a cell' },
  { keys: ['E'], description: 'In the inbox: mark as read' },
  { keys: ['U'], description: 'In the inbox: mark as unread' },
  { keys: ['Ctrl', 'Z'], description: 'Undo last delete' },
  { keys: ['?'], description: 'Show these shortcuts' },
]

/** The layer that is open in front of the page. */
export type Overlay = 'palette' | 'shortcuts' | undefined

/** Keys that work wherever no text is being typed. */
export function useShortcuts(): { readonly overlay: Overlay; open(overlay: Overlay): void } {
  const { router } = useServices()
  const [overlay, setOverlay] = useState<Overlay>()
  useEffect(() => listenToKeys(router, setOverlay), [router])
  return { overlay, open: setOverlay }
}

function listenToKeys(router: Router, open: (overlay: Overlay) => void): () => void {
  let sequenceEndsAt = 0
  const actions: Readonly<Record<string, () => void>> = {
    '/': () => {
      if (!focusSearch()) open('palette')
    },
    '?': () => open('shortcuts'),
    // The button of the current screen declares its shortcut to assistive technology by the same attribute.
    c: () => document.querySelector<HTMLElement>('main [aria-keyshortcuts="C"]')?.click(),
    f: () => document.querySelector<HTMLElement>('main [aria-keyshortcuts="F"]')?.click(),
    g: () => {
      sequenceEndsAt = Date.now() + secondKeyMilliseconds
    },
  }
  /** Returns the action of a key, which also ends the sequence that it may belong to. */
  const consumeKey = (event: KeyboardEvent): (() => void) | undefined => {
    if (isPaletteKey(event)) return () => open('palette')
    if (isHandledElsewhere(event) || modifierKeys.has(event.key)) return undefined
    const key = event.key.toLowerCase()
    const destination = Date.now() < sequenceEndsAt ? destinations[key] : undefined
    sequenceEndsAt = 0
    return destination ? () => router.go(destination.href) : actions[key]
  }
  const onKey = (event: KeyboardEvent) => {
    const run = consumeKey(event)
    if (run === undefined) return
    event.preventDefault()
    run()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

/** Pressing one of these neither starts nor ends a key sequence. */
const modifierKeys: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'])

const isPaletteKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key.toLowerCase() === 'k'

/** Returns whether a key belongs to a text field, a dialog, a menu, or the browser, or is held down. */
function isHandledElsewhere({
  target,
  altKey,
  ctrlKey,
  metaKey,
  repeat,
  defaultPrevented,
}: KeyboardEvent): boolean {
  const isInControl =
    target instanceof Element &&
    target.closest('input, textarea, select, dialog, [role=menu], [role=listbox]') !== null
  return altKey || ctrlKey || metaKey || repeat || defaultPrevented || isInControl
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('main input[type=search]')
  field?.focus()
  return field !== null
}
