import pg from 'pg'

/** One connection on which many callers' statements are sent without waiting for each other's answers. */
export interface PipelinedConnection {
  /** `send` runs at once and must send all it has to before it returns: others' statements follow. */
  use<Result>(send: (client: pg.Client) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Opens the connection at its first use and again after it dropped. */
export function openPipelinedConnection(
  config: pg.ClientConfig,
  onConnect: (client: pg.Client) => Promise<unknown>,
): PipelinedConnection {
  let opening: Promise<pg.Client> | undefined
  let isClosed = false
  const connect = async () => {
    const client = new pg.Client(config)
    const forget = () => {
      opening = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    try {
      await client.connect()
      await onConnect(client)
    } catch (error) {
      forget()
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
      opening ??= connect()
      return send(await opening)
    },
    async close() {
      isClosed = true
      const client = await opening?.catch(() => undefined)
      await client?.end()
    },
  }
}
