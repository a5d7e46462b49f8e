import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, before, mock, test } from 'node:test'
import type pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { openPipelinedConnection, type PipelinedConnection } from './connections.ts'
import { SilentStoreError } from './failures.ts'
import { queryRows } from './query-rows.ts'

const timeoutMilliseconds = 10_000

let fresh: FreshDatabase
let pipelined: PipelinedConnection

before(async () => {
  fresh = await freshDatabase()
  pipelined = openPipelinedConnection(config(), async () => undefined)
})
after(async () => {
  await pipelined?.close()
  await fresh?.drop()
})

const config = () => ({
  connectionString: fresh.url,
  connectionTimeoutMillis: timeoutMilliseconds,
  pipeline: true,
})

const queryNumber = (number: number) =>
  pipelined.use(
    (client) => queryRows(client, { name: 'number', text: 'select $1::int as number', values: [number] }),
    performance.now() + timeoutMilliseconds,
  )

test('statements of one turn of the event loop leave in one write', async () => {
  await queryNumber(0)
  const writes = await countWrites(async () => {
    const rows = await Promise.all([1, 2, 3, 4, 5].map(queryNumber))
    assert.deepEqual(
      rows.flat(),
      [1, 2, 3, 4, 5].map((number) => ({ number })),
    )
  })
  assert.equal(writes, 1)
})

test('a statement that is sent later leaves in a write of its own', async () => {
  const writes = await countWrites(async () => {
    for (const number of [1, 2, 3]) assert.deepEqual(await queryNumber(number), [{ number }])
  })
  assert.equal(writes, 3)
})

test('a connection whose setup failed is opened again by the next call', async () => {
  let attempts = 0
  const failingOnce = openPipelinedConnection(config(), async () => {
    attempts += 1
    if (attempts === 1) throw new Error('not yet')
  })
  const query = () =>
    failingOnce.use((client) => client.query('select 1'), performance.now() + timeoutMilliseconds)
  await assert.rejects(query(), /not yet/)
  assert.equal((await query()).rowCount, 1)
  await failingOnce.close()
})

test('a silent server does not get a new connection for each call that times out', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const silent = openPipelinedConnection(
    { host: '127.0.0.1', port, user: 'tracker', connectionTimeoutMillis: timeoutMilliseconds },
    async () => undefined,
  )
  for (let calls = 0; calls < 5; calls += 1) {
    const call = silent.use((client) => client.query(''), performance.now() + 20)
    await assert.rejects(call, SilentStoreError)
  }
  assert.equal(sockets.length, 1)
  server.close()
  for (const socket of sockets) socket.destroy()
})

async function countWrites(work: () => Promise<void>): Promise<number> {
  const { stream } = await pipelined.use(
    async (client) => (client as ConnectedClient).connection,
    performance.now() + timeoutMilliseconds,
  )
  const writing = mock.method(stream as BufferedSocket, '_writev')
  await work()
  writing.mock.restore()
  return writing.mock.callCount()
}

/** `_writev` is the method with which a socket passes its buffered data to the system. */
type BufferedSocket = Required<Pick<Socket, '_writev'>>
type ConnectedClient = pg.Client & { readonly connection: { readonly stream: Socket } }
