import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type pg from 'pg'
import { freePort } from './child-host.ts'

/** A proxy that simulates faults of the network in front of a store. */
export interface StoreProxy {
  readonly url: string
  /** Holds back all bytes, in both directions, without an error. */
  pause(): void
  /** Delivers the bytes that were held back. */
  resume(): void
  /** Returns the number of connections that were opened so far. */
  connections(): number
  /** Closes all connections, and rejects new ones until `acceptConnections` is called. */
  rejectConnections(): Promise<void>
  acceptConnections(): Promise<void>
  /** Closes all connections, and ends the proxy. */
  stop(): void
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
  // The proxy listens on the same port again, which no other program may take meanwhile.
  const proxyPort = await freePort()
  await listen(proxyPort)
  const closeConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  const [name, secret] = [user ?? '', password ?? ''].map(encodeURIComponent)
  return {
    url: `postgresql://${name}:${secret}@127.0.0.1:${proxyPort}/${database}`,
    pause() {
      isPaused = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of sockets) socket.resume()
    },
    connections: () => connections,
    async rejectConnections() {
      const closed = once(server, 'close')
      server.close()
      closeConnections()
      await closed
    },
    acceptConnections: () => listen(proxyPort),
    stop() {
      server.close()
      closeConnections()
    },
  }
}
