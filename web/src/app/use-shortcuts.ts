import { useEffect, useState } from 'preact/hooks'
import type { Router } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import type { Text } from '../texts/text.ts'

export interface Shortcut {
  readonly keys: readonly string[]
  readonly does: Text
}

/** The time for the second key after G. */
const secondKeyMilliseconds = 1500

/** The address that each letter leads to after G. */
const places: Readonly<Record<string, { readonly href: string; readonly does: Text }>> = {
  m: { href: '/my-work', does: 'Go to my work' },
  p: { href: '/projects', does: 'Go to the projects' },
  w: { href: '/week', does: 'Go to my week' },
  i: { href: '/impediments', does: 'Go to the impediments' },
  r: { href: '/reports', does: 'Go to the reports' },
}

/** The entries of the list of shortcuts. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['Ctrl', 'K'], does: 'Find anything, do anything' },
  { keys: ['/'], does: 'Search on this screen' },
  { keys: ['C'], does: 'New assignment, in a project' },
  ...Object.entries(places).map(([key, { does }]) => ({ keys: ['G', key.toUpperCase()], does })),
  { keys: ['Shift', '← →'], does: 'Move a card to the next stage' },
  { keys: ['Shift', '← →'], does: 'In calendar and timeline: a day earlier or later' },
  { keys: ['Shift', 'Alt', '← →'], does: 'In the timeline: the end a day earlier or later' },
  { keys: ['Shift', '↑ ↓'], does: 'In the timeline: for the person above or below' },
  { keys: ['X'], does: 'Select an assignment of the list' },
  { keys: ['M'], does: 'Choose the stage of a card' },
  { keys: ['T'], does: 'Start or stop the timer of a card' },
  { keys: ['F2'], does: 'Rename a card; in the week: entries and notes of a cell' },
  { keys: ['Ctrl', 'Z'], does: 'Undo last delete' },
  { keys: ['?'], does: 'Show these shortcuts' },
]

export type Layer = 'palette' | 'shortcuts' | undefined

/** Keys that work wherever no text is being typed. */
export function useShortcuts(): { readonly layer: Layer; open(layer: Layer): void } {
  const { router } = useServices()
  const [layer, open] = useState<Layer>()
  useEffect(() => listenToKeys(router, open), [router])
  return { layer, open }
}

function listenToKeys(router: Router, open: (layer: Layer) => void): () => void {
  let secondUntil = 0
  const single: Readonly<Record<string, () => void>> = {
    '/': () => focusSearch() || open('palette'),
    '?': () => open('shortcuts'),
    c: () => document.querySelector<HTMLElement>('main [aria-keyshortcuts="C"]')?.click(),
    g: () => {
      secondUntil = Date.now() + secondKeyMilliseconds
    },
  }
  const actionOf = (event: KeyboardEvent): (() => void) | undefined => {
    if (isPaletteKey(event)) return () => open('palette')
    if (isTaken(event)) return undefined
    const key = event.key.toLowerCase()
    const place = Date.now() < secondUntil ? places[key] : undefined
    secondUntil = 0
    return place ? () => router.go(place.href) : single[key]
  }
  const onKey = (event: KeyboardEvent) => {
    const run = actionOf(event)
    if (run === undefined) return
    event.preventDefault()
    run()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

const isPaletteKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key.toLowerCase() === 'k'

/** Returns whether a key belongs to a text field, a dialog, a menu, or the browser. */
function isTaken({ target, altKey, ctrlKey, metaKey, defaultPrevented }: KeyboardEvent): boolean {
  const isTypingElsewhere =
    target instanceof Element &&
    target.closest('input, textarea, select, dialog, [role=menu], [role=listbox]') !== null
  return altKey || ctrlKey || metaKey || defaultPrevented || isTypingElsewhere
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('main input[type=search]')
  field?.focus()
  return field !== null
}
