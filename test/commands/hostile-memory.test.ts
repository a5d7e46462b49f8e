import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { status } from '@grpc/grpc-js'
import { type ChildCommands, startChildCommands } from '../support/child-commands.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { insertAccount } from '../support/insert-account.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'
import { assertServes, listOrganizations } from './assert-serves.ts'

describe('the memory of a command host', () => {
  let issuer: TestIssuer
  let store: FreshDatabase
  let child: ChildCommands
  let token: string
  const folder = mkdtempSync(join(tmpdir(), 'tracker-memory-'))

  before(async () => {
    ;[issuer, store] = await Promise.all([startTestIssuer(), freshDatabase()])
    const login = 'admin@example.com'
    const { id } = await insertAccount(store.database, { login })
    token = await issuer.signIn(store.database, id, { admin: true, audience: 'svc-grpc', scope: 'svc.grpc' })
    child = await startChildCommands({
      DATABASE_URL: store.url,
      DATA_DIR: folder,
      Jwt__Issuer: issuer.issuer,
      SVC_ADMIN_LOGINS: login,
    })
  })
  after(async () => {
    await child.end('SIGKILL')
    await issuer.stop()
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The first attack shows what the host needs for it, the second whether it is kept. */
  async function assertKept(attack: () => Promise<void>) {
    await attack()
    const before = await child.residentBytes()
    await attack()
    await assertServes({ target: child.target, administrator: { token } as never })
    const grown = Math.round(((await child.residentBytes()) - before) / 1024 ** 2)
    assert.ok(grown < grownMebibytesMax, `It grew by ${grown} MiB.`)
    assert.equal(child.output().includes('"level":50'), false, child.output())
  }

  test('does not grow with bombs of gzip', () =>
    assertKept(async () => {
      const bomb = framed(gzipSync(Buffer.alloc(32 * 1024 ** 2)), { flag: 1 })
      const headers = { ...grpcHeaders(listOrganizations, token), 'grpc-encoding': 'gzip' }
      const raw = openRawCalls(child.target)
      const answers = await Promise.all(Array.from({ length: 100 }, () => raw.send(headers, bomb)))
      for (const answer of answers) assert.equal(answer.status, status.RESOURCE_EXHAUSTED)
      raw.close()
    }))

  test('does not grow with streams that are opened and reset', () =>
    assertKept(async () => {
      for (let connection = 0; connection < 20; connection += 1) {
        const raw = openRawCalls(child.target)
        for (let opened = 0; opened < 500; opened += 1) {
          const stream = raw.session.request({ ...grpcHeaders(listOrganizations, token), ':method': 'POST' })
          stream.on('error', () => undefined)
          stream.close(constants.NGHTTP2_CANCEL)
        }
        await sleep(5)
        raw.close()
      }
    }))
})

/** What garbage collection may leave behind for a while; the attacks would take gigabytes. */
const grownMebibytesMax = 150
