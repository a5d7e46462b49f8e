import type pg from 'pg'

/** The part of a connection of the driver that copying needs. */
interface Wire {
  readonly stream: NodeJS.EventEmitter & {
    pause(): void
    resume(): void
    readonly writableNeedDrain: boolean
  }
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** Gives each piece of what `copy … to stdout` answers, and reads no further while one is being taken. Returns the rows. */
export function copyOut(
  client: pg.Client,
  statement: string,
  take: (piece: Buffer) => Promise<void> | undefined,
): Promise<number> {
  return copying(client, statement, (fail) => ({
    handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Wire) {
      // The driver reads the next answers into the same memory.
      const taken = take(Buffer.from(chunk))
      if (taken === undefined) return
      stream.pause()
      taken.then(() => stream.resume(), fail)
    },
  }))
}

/** Sends the pieces to `copy … from stdin`, as fast as the store takes them. Returns the rows. */
export function copyIn(client: pg.Client, statement: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  let isOver = false
  const send = async (wire: Wire) => {
    try {
      for await (const piece of pieces) {
        if (isOver) return
        wire.sendCopyFromChunk(piece)
        if (wire.stream.writableNeedDrain) await drained(wire)
      }
      wire.endCopyFrom()
    } catch (error) {
      wire.sendCopyFail((error as Error).message)
    }
  }
  const copied = copying(client, statement, () => ({ handleCopyInResponse: (wire: Wire) => void send(wire) }))
  return copied.finally(() => {
    isOver = true
  })
}

function copying(
  client: pg.Client,
  statement: string,
  own: (fail: (error: Error) => void) => object,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    const fail = (error: Error) => {
      reject(error)
      // Nothing is left to read it.
      void client.end().catch(() => undefined)
    }
    client.query({
      submit: (wire: unknown) => (wire as Wire).query(statement),
      handleRowDescription: () => undefined,
      handleDataRow: () => undefined,
      handleCopyData: () => undefined,
      handleCommandComplete({ text }: { text: string }) {
        rows = Number(/\d+$/.exec(text)?.[0])
      },
      handleReadyForQuery: () => resolve(rows),
      handleError: reject,
      ...own(fail),
    } as pg.Submittable)
  })
}

/** A connection that ends has nothing to wait for: the next statement tells. */
const drained = ({ stream }: Wire) =>
  new Promise<void>((resolve) => {
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.on('drain', done)
    stream.on('close', done)
  })
