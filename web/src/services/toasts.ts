import { type ReadonlySignal, signal } from '@preact/signals'
import { t, tn } from '../texts/text.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'problem'
  /**
   * The time when it disappears. It is kept here, so that it stays the same when a dialog opens or closes.
   */
  readonly until: number
  /** The action of its button, other than undoing. */
  readonly action?: { readonly label: string; run(): void } | undefined
  /** The changes that it reports and that can be undone, the newest last. */
  readonly changes: readonly Change[]
}

interface Change {
  readonly text: string
  /** Reports its own errors. */
  undo(): unknown
}

interface NewToast extends Pick<Toast, 'text' | 'kind' | 'action'> {
  /** Undoes the reported change. */
  readonly undo?: Change['undo'] | undefined
}

export interface Toasts {
  readonly all: ReadonlySignal<readonly Toast[]>
  /** Changes that can be undone share one message. */
  show(toast: NewToast): void
  dismiss(id: number): void
  /** Shows a message for the whole time again. */
  extend(id: number): void
  /**
   * Undoes the newest change of this screen, also when its message is gone. Returns false if there is none.
   */
  undoLast(): boolean
  /** Undoes all changes of a message. */
  undoAll(toast: Toast): Promise<void>
  /**
   * Called when another screen is opened, from which changes of the previous one cannot be undone. Problems
   * stay.
   */
  leaveScreen(): void
  /**
   * The open dialogs, the topmost last. Messages appear in the topmost, because everything behind it is
   * inert.
   */
  readonly layers: ReadonlySignal<readonly symbol[]>
  /** Returns a function that removes the layer. */
  addLayer(layer: symbol): () => void
}

/** Long enough to read and act on. */
const shownMilliseconds = 10_000
/** More toasts would cover the page, so the oldest disappears. */
const toastsMax = 3
/** The number of changes that can be undone one after the other. */
const changesMax = 50

export function createToasts(): Toasts {
  const all = signal<readonly Toast[]>([])
  const layers = signal<readonly symbol[]>([])
  let undoable: readonly Change[] = []
  let lastId = 0
  const add = (toast: Omit<Toast, 'id' | 'until'>, others: readonly Toast[]) => {
    lastId += 1
    const until = Date.now() + shownMilliseconds
    all.value = [...others, { ...toast, id: lastId, until }].slice(-toastsMax)
  }
  const addChange = (change: Change) => {
    undoable = [...undoable, change].slice(-changesMax)
    const changes = [...(all.peek().find(hasChanges)?.changes ?? []), change]
    add(
      { kind: 'done', text: textOf(changes), changes },
      all.peek().filter((toast) => !hasChanges(toast)),
    )
  }
  const removeChanges = (removed: readonly Change[]) => {
    undoable = undoable.filter((change) => !removed.includes(change))
    all.value = all.peek().flatMap((toast) => {
      const changes = toast.changes.filter((change) => !removed.includes(change))
      if (changes.length === toast.changes.length) return [toast]
      return changes.length === 0 ? [] : [{ ...toast, changes, text: textOf(changes) }]
    })
  }
  const show = ({ undo, ...toast }: NewToast) => {
    if (undo) return addChange({ text: toast.text, undo })
    // Only the newest success is shown, and a repeated problem, such as from a held key, only once. Each is
    // announced.
    const isReplaced = (other: Toast) =>
      !hasChanges(other) && other.kind === toast.kind && (toast.kind === 'done' || other.text === toast.text)
    add(
      { ...toast, changes: [] },
      all.peek().filter((other) => !isReplaced(other)),
    )
  }
  return {
    all,
    layers,
    show,
    addLayer(layer) {
      layers.value = [...layers.peek(), layer]
      return () => {
        layers.value = layers.peek().filter((other) => other !== layer)
      }
    },
    dismiss(id) {
      all.value = all.peek().filter((toast) => toast.id !== id)
    },
    extend(id) {
      const until = Date.now() + shownMilliseconds
      all.value = all.peek().map((toast) => (toast.id === id ? { ...toast, until } : toast))
    },
    undoLast() {
      const change = undoable.at(-1)
      if (change === undefined) return false
      removeChanges([change])
      show({ kind: 'done', text: undoneTextOf([change]) })
      void change.undo()
      return true
    },
    async undoAll({ changes }) {
      removeChanges(changes)
      show({ kind: 'done', text: undoneTextOf(changes) })
      // A later change may depend on an earlier one.
      for (const change of changes.toReversed()) await change.undo()
    },
    leaveScreen() {
      undoable = []
      all.value = all.peek().filter(({ kind }) => kind === 'problem')
    },
  }
}

const hasChanges = ({ changes }: Toast): boolean => changes.length > 0

const textOf = (changes: readonly Change[]): string =>
  changes.length === 1
    ? (changes[0]?.text ?? '')
    : tn(changes.length, '1 change saved', '{count} changes saved')

const undoneTextOf = (changes: readonly Change[]): string =>
  changes.length === 1
    ? t('Undone: {change}', { change: changes[0]?.text ?? '' })
    : tn(changes.length, '1 change undone', '{count} changes undone')
