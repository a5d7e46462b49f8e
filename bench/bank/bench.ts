/** What everything is measured on: a durable store, the bank, the same without batching, and nothing but HTTP. */
export interface Bench {
  readonly url: string
  readonly folder: string
  /** The database's first process. */
  readonly server: number
  readonly batched: Target
  readonly oneCall: Target
  readonly bare: Target
}

export interface Target {
  readonly name: string
  readonly port: number
  readonly pids: readonly number[]
}
