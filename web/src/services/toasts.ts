import { type ReadonlySignal, signal } from '@preact/signals'
import { t } from '../texts/text.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'problem'
  /** The action of its button, such as undoing a removal. */
  readonly action?: { readonly label: string; run(): void | Promise<void> } | undefined
}

export interface Toasts {
  readonly all: ReadonlySignal<readonly Toast[]>
  show(toast: Omit<Toast, 'id'>): void
  dismiss(id: number): void
  /** The open dialogs, the topmost last. Messages appear in the topmost, because everything behind it is inert. */
  readonly layers: ReadonlySignal<readonly symbol[]>
  /** Returns a function that removes the layer. */
  addLayer(layer: symbol): () => void
}

/** More would cover the page, so the oldest disappears. */
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
        layers.value = layers.peek().filter((other) => other !== layer)
      }
    },
    show(toast) {
      last += 1
      // A repeated error, such as from a held key, is announced again but shown once.
      const others = all.value.filter(({ kind, text }) => kind !== 'problem' || text !== toast.text)
      all.value = [...others, { ...toast, id: last }].slice(-toastsMax)
    },
    dismiss(id) {
      all.value = all.value.filter((toast) => toast.id !== id)
    },
  }
}

export const undoLabel = (): string => t('Undo')
