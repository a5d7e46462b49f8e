import { signal } from '@preact/signals'

/** The selected assignments of the list on the screen, for keys and commands of the frame. */
export const selectedIds = signal<readonly string[]>([])
