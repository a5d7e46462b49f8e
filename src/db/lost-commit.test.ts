import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { rejectedAs } from '../../test/support/fresh-context.ts'
import { freshDatabase } from '../../test/support/fresh-database.ts'
import { openDatabase } from './database.ts'
import { sql } from './sql.ts'

/**
 * This proxy closes the connection when the response to a commit arrives. The commit is done, but the client
 * does not know.
 */
async function cuttingProxy({ host, port }: pg.Client) {
  const sockets = new Set<Socket>()
  let cuts = 0
  const server = createServer((client) => {
    const store = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
    for (const socket of [client, store]) sockets.add(socket.on('error', () => undefined))
    let isCommitting = false
    client.on('data', (bytes) => {
      if (bytes.includes('commit\0')) isCommitting = true
      store.write(bytes)
    })
    store.on('data', (bytes) => {
      if (!isCommitting || !bytes.includes('COMMIT\0')) return void client.write(bytes)
      cuts += 1
      client.destroy()
      store.end()
    })
    client.on('close', () => store.end())
    store.on('close', () => client.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cuts: () => cuts,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

describe('a transaction whose commit was lost', () => {
  it('is never retried automatically: it may have been committed', async () => {
    const fresh = await freshDatabase()
    const direct = new pg.Client({ connectionString: fresh.url })
    await direct.connect()
    await direct.query('create table entries (id int generated always as identity)')
    const proxy = await cuttingProxy(direct)
    const [user, password] = [direct.user ?? '', direct.password ?? ''].map(encodeURIComponent)
    const url = `postgresql://${user}:${password}@127.0.0.1:${proxy.port}/${direct.database}`
    const database = openDatabase({ url, applicationName: 'test' })
    const write = database.transaction((transaction) =>
      transaction.query(sql`insert into entries default values`),
    )
    await assert.rejects(write, rejectedAs('uncertain'))
    assert.equal(proxy.cuts(), 1)
    assert.equal((await direct.query('select from entries')).rowCount, 1)
    await database.close()
    proxy.close()
    await direct.end()
    await fresh.drop()
  })
})
