import { type ReadonlySignal, signal } from '@preact/signals'
import { t } from '../texts/text.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'problem'
  /** What the button of the toast does, such as taking a removal back. */
  readonly action?: { readonly label: string; run(): void | Promise<void> } | undefined
}

export interface Toasts {
  readonly all: ReadonlySignal<readonly Toast[]>
  show(toast: Omit<Toast, 'id'>): void
  dismiss(id: number): void
  /** Dialogs that stand open, the topmost last: news appears in it, because all behind it cannot be operated. */
  readonly layers: ReadonlySignal<readonly symbol[]>
  /** Returns how to take the layer away again. */
  addLayer(layer: symbol): () => void
}

/** More would cover the page; the oldest goes first. */
const toastsMax = 3

export function createToasts(): Toasts {
  const all = signal<readonly Toast[]>([])
  const layers = signal<readonly symbol[]>([])
  let last = 0
  return {
    all,
    layers,
    addLayer(layer) {
      layers.value = [...layers.peek(), layer]
      return () => {
        layers.value = layers.peek().filter((one) => one !== layer)
      }
    },
    show(toast) {
      last += 1
      // What is refused again, as by a key that is held, is said again and stands there once.
      const others = all.value.filter(({ kind, text }) => kind !== 'problem' || text !== toast.text)
      all.value = [...others, { ...toast, id: last }].slice(-toastsMax)
    },
    dismiss(id) {
      all.value = all.value.filter((toast) => toast.id !== id)
    },
  }
}

export const undoLabel = (): string => t('Undo')
