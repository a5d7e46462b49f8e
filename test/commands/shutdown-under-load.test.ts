import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { sql } from '../../src/db/sql.ts'
import { type ChildCommands, startChildCommands } from '../support/child-commands.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { insertAccount } from '../support/insert-account.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'

describe('two instances of the command host over one store', () => {
  let issuer: TestIssuer
  let store: FreshDatabase
  let instances: ChildCommands[]
  let token: string
  const folder = mkdtempSync(join(tmpdir(), 'tracker-commands-'))

  before(async () => {
    ;[issuer, store] = await Promise.all([startTestIssuer(), freshDatabase()])
    const login = 'admin@example.com'
    const { id } = await insertAccount(store.database, { login })
    token = await issuer.signIn(store.database, id, { admin: true, audience: 'svc-grpc', scope: 'svc.grpc' })
    const environment = {
      DATABASE_URL: store.url,
      DATA_DIR: folder,
      Jwt__Issuer: issuer.issuer,
      SVC_ADMIN_LOGINS: login,
    }
    instances = await Promise.all([startChildCommands(environment), startChildCommands(environment)])
  })
  after(async () => {
    await Promise.all(instances.map(({ end }) => end('SIGKILL')))
    await issuer.stop()
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('one that gets SIGTERM under load loses nothing, does nothing twice, and ends within 10 s', async () => {
    const calls = openCommandCalls(
      `ipv4:${instances.map(({ target }) => target).join(',')}`,
      overAllInstances,
    )
    const acknowledged: string[] = []
    const failures = new Map<string, number>()
    let isOver = false
    const reached = async (count: number) => {
      while (acknowledged.length < count && failures.size === 0) await sleep(10)
    }
    async function createOnAndOn() {
      while (!isOver) {
        const id = randomUUID()
        const { code, details } = await calls.call('CreateOrganization', { id, name: 'Load' }, { token })
        if (code === status.OK) acknowledged.push(id)
        else
          failures.set(`${status[code]}: ${details}`, (failures.get(`${status[code]}: ${details}`) ?? 0) + 1)
      }
    }
    const load = Array.from({ length: 24 }, createOnAndOn)
    await reached(50)
    const [leaving, staying] = instances
    assert.ok(leaving && staying)
    const startedAt = performance.now()
    const exitCode = await leaving.end('SIGTERM')
    const seconds = (performance.now() - startedAt) / 1000
    await reached(acknowledged.length + 50)
    isOver = true
    await Promise.all(load)
    calls.close()
    assert.equal(exitCode, 0, leaving.output())
    assert.ok(seconds < 10, `It took ${seconds} s.`)
    // ALREADY_EXISTS would mean that an instance said UNAVAILABLE for what it had done.
    assert.deepEqual([...failures], [])
    const rows = await store.database.query<{ id: string }>(sql`select id from organizations`)
    assert.deepEqual(rows.map(({ id }) => id).sort(), acknowledged.sort())
    assert.equal(staying.output().includes('error'), false, staying.output())
  })
})

/** As a client with several instances is set up: calls go round, and what was not done is tried elsewhere. */
const overAllInstances = {
  'grpc.service_config': JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [
      {
        name: [{}],
        retryPolicy: {
          maxAttempts: 5,
          initialBackoff: '0.02s',
          maxBackoff: '0.2s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
  }),
}
