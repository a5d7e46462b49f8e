import { type ReadonlySignal, signal } from '@preact/signals'
import { sentenceOf } from '../api/problems.ts'
import { t, tn } from '../texts/text.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'problem'
  /**
   * The time when the message disappears. It is kept here, so that it stays the same when a dialog opens or
   * closes.
   */
  readonly until: number
  /** The action of its button, other than undoing. */
  readonly action?: { readonly label: string; run(): void } | undefined
  /** The changes that the button undoes, the newest last. If `isUndone`, these are others than the reported ones. */
  readonly changes: readonly Change[]
  /** True if the message reports changes that were undone. */
  readonly isUndone?: boolean
}

interface Change {
  readonly text: string
  /** Replaces the message that quotes the undone change. */
  readonly undoneText?: string | undefined
  undo(): unknown
  /** Repeats the change after `undo`. Missing if impossible. Errors of `undo` and `redo` are shown. */
  readonly redo?: (() => unknown) | undefined
}

interface NewToast extends Pick<Toast, 'text' | 'kind' | 'action'>, Pick<Change, 'redo' | 'undoneText'> {
  readonly undo?: Change['undo'] | undefined
}

export interface Toasts {
  readonly all: ReadonlySignal<readonly Toast[]>
  /**
   * Changes that can be undone share one message. Returns a function that withdraws the message, and the change
   * with its Undo.
   */
  show(toast: NewToast): () => void
  dismiss(id: number): void
  /** Shows a message for the whole time again. */
  extend(id: number): void
  /**
   * Undoes the newest change, even if its message is gone or it was made on another screen. Returns false if
   * there is none.
   */
  undoLast(): boolean
  canUndo(): boolean
  canRedo(): boolean
  /** Repeats the change that was undone last, unless there was another change since. */
  redoLast(): boolean
  /** Undoes all changes of a message. */
  undoAll(toast: Toast): Promise<void>
  /**
   * Called when another screen is opened. Messages of the previous screen disappear, except problems. Its
   * changes can still be undone with keys.
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
  const { add, ...messages } = createMessages()
  const { all } = messages
  let undoable: readonly Change[] = []
  /** The undone changes, the next one to repeat last. */
  let redoable: readonly Change[] = []
  const addChange = (change: Change) => {
    undoable = [...undoable, change].slice(-changesMax)
    redoable = []
    const changes = [...(all.peek().find(hasChanges)?.changes ?? []), change]
    add({ kind: 'done', text: textOf(changes), changes }, isProblem)
    return () => removeChanges([change])
  }
  const removeChanges = (removed: readonly Change[]) => {
    undoable = undoable.filter((change) => !removed.includes(change))
    all.value = all.peek().flatMap((toast) => {
      const changes = toast.changes.filter((change) => !removed.includes(change))
      if (changes.length === toast.changes.length) return [toast]
      if (toast.isUndone) return [{ ...toast, changes }]
      return changes.length === 0 ? [] : [{ ...toast, changes, text: textOf(changes) }]
    })
  }
  const show = ({ undo, redo, undoneText, ...toast }: NewToast) => {
    if (undo) return addChange({ text: toast.text, undoneText, undo, redo })
    // Only the newest success is shown. A repeated problem, such as from a held key, is shown only once, but
    // announced each time.
    const isKept = (other: Toast) =>
      hasChanges(other) || other.kind !== toast.kind || (toast.kind !== 'done' && other.text !== toast.text)
    return add({ ...toast, changes: [] }, isKept)
  }
  const run = createQueue((error) => show({ kind: 'problem', text: sentenceOf(error) }))
  const undo = async (changes: readonly Change[]) => {
    const newestFirst = changes.toReversed()
    removeChanges(changes)
    redoable = changes.every(({ redo }) => redo) ? [...redoable, ...newestFirst] : []
    // The changes that remain in the message can be undone in the next one, so that there is one line.
    const rest = all.peek().find(hasChanges)?.changes ?? []
    add({ kind: 'done', text: undoneTextOf(changes), changes: rest, isUndone: true }, isProblem)
    const dropRedo = (change: Change) => () => {
      redoable = redoable.filter((other) => other !== change)
    }
    await Promise.all(newestFirst.map((change) => run(change.undo, dropRedo(change))))
  }
  return {
    ...messages,
    ...createLayers(),
    show,
    undoLast() {
      const change = undoable.at(-1)
      if (change) void undo([change])
      return change !== undefined
    },
    canUndo: () => undoable.length > 0,
    canRedo: () => redoable.length > 0,
    undoAll: ({ changes }) => undo(changes),
    redoLast() {
      const change = redoable.at(-1)
      if (change?.redo === undefined) return false
      redoable = redoable.slice(0, -1)
      undoable = [...undoable, change].slice(-changesMax)
      // The redone change has its own message, which says what was redone.
      add(
        { kind: 'done', text: t('Redone: {change}', { change: change.text }), changes: [change] },
        isProblem,
      )
      void run(change.redo, () => removeChanges([change]))
      return true
    },
    leaveScreen() {
      all.value = all.peek().filter(isProblem)
    },
  }
}

function createMessages() {
  const all = signal<readonly Toast[]>([])
  let lastId = 0
  const endOfTime = () => Date.now() + shownMilliseconds
  const dismiss = (id: number) => {
    all.value = all.peek().filter((toast) => toast.id !== id)
  }
  return {
    all,
    dismiss,
    add(toast: Omit<Toast, 'id' | 'until'>, isKept: (other: Toast) => boolean) {
      lastId += 1
      const added = { ...toast, id: lastId, until: endOfTime() }
      all.value = [...all.peek().filter(isKept), added].slice(-toastsMax)
      return () => dismiss(added.id)
    },
    extend(id: number) {
      all.value = all.peek().map((toast) => (toast.id === id ? { ...toast, until: endOfTime() } : toast))
    },
  }
}

function createLayers(): Pick<Toasts, 'layers' | 'addLayer'> {
  const layers = signal<readonly symbol[]>([])
  return {
    layers,
    addLayer(layer) {
      layers.value = [...layers.peek(), layer]
      return () => {
        layers.value = layers.peek().filter((other) => other !== layer)
      }
    },
  }
}

/** Returns a function that runs functions one by one, because a change may depend on an earlier one. */
function createQueue(report: (error: unknown) => void) {
  let last = Promise.resolve()
  return (work: () => unknown, onFailed: () => void): Promise<void> => {
    last = last.then(work).then(
      () => undefined,
      (error) => {
        onFailed()
        report(error)
      },
    )
    return last
  }
}

const isProblem = ({ kind }: Toast): boolean => kind === 'problem'

const hasChanges = ({ changes }: Toast): boolean => changes.length > 0

const textOf = (changes: readonly Change[]): string =>
  changes.length === 1
    ? (changes[0]?.text ?? '')
    : tn(changes.length, '1 change saved', '{count} changes saved')

const undoneTextOf = (changes: readonly Change[]): string =>
  changes.length === 1
    ? (changes[0]?.undoneText ?? t('Undone: “{change}”', { change: changes[0]?.text ?? '' }))
    : tn(changes.length, '1 change undone', '{count} changes undone')
