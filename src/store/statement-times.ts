export type StatementKind = 'read' | 'list' | 'live list' | 'write' | 'transaction'
export type StatementListener = (kind: StatementKind, seconds: number) => void

/** Tells how long statements take, the failed ones too; it costs nothing while nobody listens. */
export function createTiming() {
  const listeners: StatementListener[] = []
  return {
    onStatement: (listener: StatementListener) => void listeners.push(listener),
    async timed<Result>(kind: StatementKind, work: () => Promise<Result>): Promise<Result> {
      if (listeners.length === 0) return work()
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        const seconds = (performance.now() - startedAt) / 1000
        for (const listener of listeners) listener(kind, seconds)
      }
    },
  }
}
