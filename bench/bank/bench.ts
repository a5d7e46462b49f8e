import type { Load } from './load/run-load.ts'

/** Prints what is measured, and on which store. */
export interface Bench {
  readonly url: string
  readonly folder: string
  readonly load: Load
  /** The database's first process. */
  readonly server: number
  readonly bank: Target
  readonly alone: Target
  readonly general: Target
  readonly oneCall: Target
  readonly bare: Target
}

export interface Target {
  readonly name: string
  readonly port: number
  pids(): readonly number[]
}

/** The floor comes last. */
export const targetsOf = ({ bank, alone, general, oneCall, bare }: Bench): Target[] => [
  bank,
  alone,
  general,
  oneCall,
  bare,
]
