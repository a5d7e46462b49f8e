import type { Socket } from 'node:net'
import pg from 'pg'

/** One connection on which many callers' statements are sent without waiting for each other's answers. */
export interface PipelinedConnection {
  /** `send` runs at once and must send all it has to before it returns: others' statements follow. */
  use<Result>(send: (client: pg.Client) => Promise<Result>): Promise<Result>
  /** Gives up a connection that does not answer; the next use opens another one. */
  drop(): void
  close(): Promise<void>
}

/** Opens the connection at its first use and again after it dropped. */
export function openPipelinedConnection(
  config: pg.ClientConfig,
  onConnect: (client: pg.Client) => Promise<unknown>,
): PipelinedConnection {
  let opening: Opening | undefined
  let isClosed = false
  const open = () => {
    // One that was dropped must not make its successor forgotten, when it ends at last.
    const made: Opening = { client: connect(() => opening === made && forget()) }
    return made
  }
  const forget = () => {
    opening = undefined
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
  return {
    async use(send) {
      // A late call must not open it again.
      if (isClosed) throw new Error('The database is closed.')
      opening ??= open()
      const client = await opening.client
      gather(client)
      return send(client)
    },
    drop() {
      opening?.client.then(cut, () => undefined)
      forget()
    },
    async close() {
      isClosed = true
      const client = await opening?.client.catch(() => undefined)
      await client?.end()
    },
  }
}

interface Opening {
  readonly client: Promise<pg.Client>
}

/** What many requests ask in one turn of the event loop leaves in one packet: sending is most of what asking costs. */
function gather(client: pg.Client): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

/** Its end in order would wait for the answers. */
const cut = (client: pg.Client) => void streamOf(client).destroy()

const streamOf = (client: pg.Client): Socket =>
  (client as pg.Client & { readonly connection: { readonly stream: Socket } }).connection.stream
