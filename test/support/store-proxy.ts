import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type pg from 'pg'

/** The network before a store. */
export interface StoreProxy {
  readonly url: string
  /** From now on nothing arrives, in either direction, without an error. */
  pause(): void
  /** What was held back arrives now. */
  resume(): void
  /** How many were opened so far. */
  connections(): number
  /** Ends all connections; new ones are rejected while it is shut. */
  shut(): Promise<void>
  open(): Promise<void>
  close(): void
}

export async function startStoreProxy({
  host,
  port,
  user,
  password,
  database,
}: pg.Client): Promise<StoreProxy> {
  const sockets = new Set<Socket>()
  let isPaused = false
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    const store = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
    forward(client, store)
    forward(store, client)
  })
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('error', () => undefined)
    from.on('data', (bytes) => void to.write(bytes))
    if (isPaused) from.pause()
    from.on('end', () => void to.end())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const listening = (server.address() as AddressInfo).port
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const [name, secret] = [user ?? '', password ?? ''].map(encodeURIComponent)
  return {
    url: `postgresql://${name}:${secret}@127.0.0.1:${listening}/${database}`,
    pause() {
      isPaused = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of sockets) socket.resume()
    },
    connections: () => connections,
    async shut() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
    open: () => listen(listening),
    close() {
      server.close()
      cut()
    },
  }
}
