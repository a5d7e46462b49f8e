import type { Shot } from '../load.ts'

export const verbs = ['get', 'list 20', 'update', 'create'] as const
export type Verb = (typeof verbs)[number]

/** One of the compared systems: a host on its own database in the same server. */
export interface System {
  readonly name: string
  readonly pid: number
  readonly port: number
  readonly shots: Readonly<Record<Verb, (count: number) => Shot>>
  stop(): void
}
