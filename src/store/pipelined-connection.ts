import pg from 'pg'
import { cut, streamOf } from './connection-streams.ts'
import { inTime } from './in-time.ts'

/** One connection on which many callers' statements are sent without waiting for each other's answers. */
export interface PipelinedConnection {
  /**
   * `send` runs at once and must send all it has to before it returns: others' statements follow. `endsAt` is when its caller
   * is told that there was no answer.
   */
  use<Result>(send: (client: pg.Client) => Promise<Result>, endsAt: number): Promise<Result>
  /** Gives up a connection that does not answer; the next use opens another one. */
  drop(): void
  close(): Promise<void>
}

/**
 * Opens the connection at its first use and again after it dropped. One that has been silent for as long as connecting may take
 * is given up at the next call that waits in vain: not by each of them, or a store that hangs would get a connection from each.
 */
export function openPipelinedConnection(
  config: pg.ClientConfig & { readonly connectionTimeoutMillis: number },
  onConnect: (client: pg.Client) => Promise<unknown>,
): PipelinedConnection {
  let opening: Opening | undefined
  let isClosed = false
  const open = () => {
    // One that was dropped must not make its successor forgotten, when it ends at last.
    const made: Opening = { client: connect(() => forget(made)), heardAt: performance.now() }
    return made
  }
  const forget = (made: Opening) => {
    if (opening === made) opening = undefined
  }
  const connect = async (onEnd: () => void) => {
    const client = new pg.Client(config)
    client.on('error', onEnd)
    client.on('end', onEnd)
    try {
      await client.connect()
      await onConnect(client)
    } catch (error) {
      onEnd()
      // Not awaited: a connection that failed may never end.
      client.end().catch(() => undefined)
      throw error
    }
    return client
  }
  const drop = (made: Opening) => {
    made.client.then(cut, () => undefined)
    forget(made)
  }
  return {
    use(send, endsAt) {
      // A late call must not open it again.
      if (isClosed) return Promise.reject(new Error('The database is closed.'))
      opening ??= open()
      const used = opening
      const answer = used.client.then((client) => {
        gather(client)
        return send(client).finally(() => {
          used.heardAt = performance.now()
        })
      })
      const isSilent = () => performance.now() - used.heardAt >= config.connectionTimeoutMillis
      return inTime(endsAt, answer, () => isSilent() && drop(used))
    },
    drop: () => opening && drop(opening),
    async close() {
      isClosed = true
      const client = await opening?.client.catch(() => undefined)
      await client?.end()
    },
  }
}

interface Opening {
  readonly client: Promise<pg.Client>
  /** On the clock of `performance.now()`; when it was opened, until it has answered. */
  heardAt: number
}

/** What many requests ask in one turn of the event loop leaves in one packet: sending is most of what asking costs. */
function gather(client: pg.Client): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
