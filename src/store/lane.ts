import pg from 'pg'

/** One connection on which many callers' statements travel without waiting for each other's answers. */
export interface Lane {
  query(statement: pg.QueryConfig): Promise<pg.QueryResult>
  close(): Promise<void>
}

/** Opens the connection at its first use and again after it dropped. For single statements only, never for a transaction. */
export function openLane(config: pg.ClientConfig): Lane {
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
    } catch (error) {
      forget()
      throw error
    }
    return client
  }
  return {
    async query(statement) {
      // Whoever comes late must not open it again.
      if (isClosed) throw new Error('The database is closed.')
      opening ??= connect()
      const client = await opening
      return client.query(statement)
    },
    async close() {
      isClosed = true
      const client = await opening?.catch(() => undefined)
      await client?.end()
    },
  }
}
