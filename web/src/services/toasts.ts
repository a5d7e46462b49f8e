import { type ReadonlySignal, signal } from '@preact/signals'

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
}

/** More would cover the page; the oldest goes first. */
const toastsMax = 3

export function createToasts(): Toasts {
  const all = signal<readonly Toast[]>([])
  let last = 0
  return {
    all,
    show(toast) {
      last += 1
      all.value = [...all.value, { ...toast, id: last }].slice(-toastsMax)
    },
    dismiss(id) {
      all.value = all.value.filter((toast) => toast.id !== id)
    },
  }
}

export const undoLabel = 'Undo'
