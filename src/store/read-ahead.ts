import type { Budget } from '../model/budget.ts'

/** Text on its way from the store to a reader, who may be slower: as much waits in memory as the budgets have room for. */
export interface ReadAhead {
  /** Waits until there is room; rejects once `fail` was called. */
  push(text: string): Promise<void>
  /** Nothing follows. */
  end(): void
  fail(error: unknown): void
  /** For the reader, one slice after the other; asking for the next says that the last one was taken. */
  slices(): AsyncGenerator<Buffer, void>
  /** By how many milliseconds the reader is behind one who takes `bytesPerSecondMin`. */
  behindMilliseconds(): number
}

export interface ReadAheadOptions {
  readonly account: string
  readonly bytes: Budget
  readonly bytesOfAccount: Budget
  /** How long a reader may take nothing while there is no room. */
  readonly pauseMilliseconds: number
  readonly bytesPerSecondMin: number
  /** Calls `fail`. */
  onPause(): void
}

export function createReadAhead(options: ReadAheadOptions): ReadAhead {
  const kept = keepPieces(options)
  const pace = createPace(options.bytesPerSecondMin)
  let isEnded = false
  let failure: { readonly error: unknown } | undefined
  let change = Promise.withResolvers<void>()
  const changed = () => {
    change.resolve()
    change = Promise.withResolvers()
  }

  async function waitForReader(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      options.onPause()
      resolve()
    }, options.pauseMilliseconds)
    await Promise.race([change.promise, late])
    clearTimeout(timer)
  }

  /** Undefined when nothing follows. */
  async function nextPiece(): Promise<Buffer | undefined> {
    for (;;) {
      if (failure) throw failure.error
      const piece = kept.first()
      if (piece || isEnded) return piece
      await change.promise
    }
  }

  return {
    async push(text) {
      const piece = Buffer.from(text)
      pace.waits(true)
      while (!failure && !kept.hasRoomFor(piece)) await waitForReader()
      pace.waits(false)
      if (failure) throw failure.error
      kept.add(piece)
      changed()
    },
    end() {
      isEnded = true
      changed()
    },
    fail(error) {
      failure ??= { error }
      kept.clear()
      changed()
    },
    async *slices() {
      for (let piece = await nextPiece(); piece; piece = await nextPiece()) {
        for (const slice of slicesOf(piece)) {
          yield slice
          pace.taken(slice.length)
          changed()
        }
        if (kept.first() === piece) kept.drop()
        changed()
      }
    },
    behindMilliseconds: pace.behindMilliseconds,
  }
}

/** Small enough to show that a slow reader takes something. */
const sliceBytes = 64 * 1024

const slicesOf = (piece: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(piece.length / sliceBytes) }, (_, index) =>
    piece.subarray(index * sliceBytes, (index + 1) * sliceBytes),
  )

/** One piece is kept in any case: without any budget, each is read when the one before was taken. */
function keepPieces({ account, bytes, bytesOfAccount }: ReadAheadOptions) {
  const kept: { readonly piece: Buffer; readonly counted: number }[] = []
  const fits = ({ length }: Buffer) =>
    bytes.used() + length <= bytes.max && bytesOfAccount.used(account) + length <= bytesOfAccount.max
  const drop = () => {
    const { counted = 0 } = kept.shift() ?? {}
    bytes.giveBack(counted)
    bytesOfAccount.giveBack(counted, account)
  }
  return {
    hasRoomFor: (piece: Buffer) => kept.length === 0 || fits(piece),
    add(piece: Buffer) {
      const counted = fits(piece) ? piece.length : 0
      bytes.take(counted)
      bytesOfAccount.take(counted, account)
      kept.push({ piece, counted })
    },
    first: () => kept[0]?.piece,
    drop,
    clear() {
      while (kept.length > 0) drop()
    },
  }
}

/** The time that a reader keeps the store waiting, less the time that what it takes is worth. */
function createPace(bytesPerSecondMin: number) {
  let behind = 0
  let waitsSince: number | undefined
  const settle = () => {
    if (waitsSince === undefined) return
    const now = performance.now()
    behind += now - waitsSince
    waitsSince = now
  }
  return {
    waits(isWaiting: boolean) {
      settle()
      waitsSince = isWaiting ? performance.now() : undefined
    },
    taken(size: number) {
      settle()
      behind = Math.max(0, behind - (size / bytesPerSecondMin) * 1000)
    },
    behindMilliseconds() {
      settle()
      return behind
    },
  }
}
