import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { queueMail } from '../../src/accounts/mail-queue.ts'
import { sql } from '../../src/db/sql.ts'
import { startMailWorker } from '../../src/features/mail/worker.ts'
import { createLog } from '../../src/http/log.ts'
import { valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { insertAccount } from '../support/insert-account.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { within } from '../support/until.ts'

describe('A mail server', () => {
  const fresh = fixture(freshDatabase)

  /** Queues and sends a mail, on one or two instances at the same time. Returns its outcome. */
  const send = async (smtpUrl: string, { instances = 1, silentMilliseconds = 10_000 } = {}) => {
    const { database } = fresh
    const lines: { readonly msg: string; readonly code?: string; readonly responseCode?: number }[] = []
    const log = createLog({
      level: 'info',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    })
    const settings = {
      smtpUrl,
      from: 'tracker@example.com',
      linkOrigin: 'https://app.example.com',
      identityUrl: 'https://sign-in.example.com',
    }
    const { login } = await insertAccount(database)
    await database.transaction((transaction) =>
      queueMail(transaction, { purpose: 'password', login, address: '10.0.0.1' }),
    )
    const workers = [1, 2].map(() =>
      startMailWorker({
        database,
        settings,
        log,
        silentMilliseconds,
        securityLog: () => undefined,
        composeNotifications: async () => undefined,
      }),
    )
    await Promise.all(workers.slice(0, instances).map((worker) => worker.poll()))
    await Promise.all(workers.map((worker) => worker.stop()))
    const [mail] = await database.query<{ isEnded: boolean; attempts: number }>(sql`
      select ended_at is not null as "isEnded", attempts from mails where login = ${login}`)
    await database.singleWrites.query(sql`update mails set ended_at = now()`)
    return { login, lines, ...mail }
  }
  const withServer = async (
    options: Parameters<typeof startMailServer>[0],
    work: (server: MailServer) => Promise<void>,
  ) => {
    const server = await startMailServer(options)
    await work(server).finally(server.stop)
  }

  test('gets three of eight mails that are requested for an account at the same time', async () => {
    const { database } = fresh
    const { login } = await insertAccount(database)
    const waits = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        database.transaction(async (transaction) => {
          const address = `10.0.1.${index}`
          const secondsToWait = await queueMail(transaction, { purpose: 'password', login, address })
          // No transaction has committed when the others count the mails.
          await new Promise((resolve) => setTimeout(resolve, 30))
          return secondsToWait
        }),
      ),
    )
    await database.singleWrites.query(sql`update mails set ended_at = now()`)
    assert.equal(waits.filter((seconds) => seconds === undefined).length, 3)
  })

  test('gets each mail once, although two instances look for mails at the same time', () =>
    withServer({}, async ({ url, received }) => {
      const { isEnded, login } = await send(url, { instances: 2 })
      assert.equal(isEnded, true)
      assert.deepEqual(valuesOf(received, 'to'), [[login]])
    }))

  test('whose certificate is not trusted gets nothing', () =>
    withServer({ disabledCommands: [] }, async ({ url, received }) => {
      const { isEnded, attempts, lines } = await send(url)
      assert.deepEqual([isEnded, attempts, received.length], [false, 1, 0])
      assert.equal(lines[0]?.msg, 'A mail could not be sent, and is tried again.')
    }))

  test('on another machine without TLS gets nothing', () =>
    withServer({}, async ({ url, received }) => {
      // This name does not reveal that it leads to the same machine.
      const { isEnded, lines } = await send(url.replace('127.0.0.1', '127.0.0.1.nip.invalid'))
      assert.equal(isEnded, false)
      assert.equal(lines.length, 1)
      assert.equal(received.length, 0)
      const other = await send(url.replace('127.0.0.1', '0.0.0.0'))
      assert.deepEqual([other.isEnded, other.lines[0]?.code, received.length], [false, 'ETLS', 0])
      const plain = await send(`${url.replace('127.0.0.1', '0.0.0.0')}?ignoreTLS=true`)
      assert.deepEqual([plain.isEnded, received.length], [true, 1])
    }))

  test('ends a mail by a permanent error', async () => {
    for (const { responseCode, isPermanent } of [
      { responseCode: 550, isPermanent: true },
      { responseCode: 451, isPermanent: false },
    ])
      await withServer(
        {
          onRcptTo: (_address, _session, done) =>
            done(Object.assign(new Error('No such eve@example.com'), { responseCode })),
        },
        async ({ url }) => {
          const { isEnded, lines } = await send(url)
          assert.equal(isEnded, isPermanent)
          assert.equal(lines[0]?.responseCode, responseCode)
          assert.doesNotMatch(JSON.stringify(lines), /eve@/)
        },
      )
  })

  test('that never responds delays the worker only for a limited time', async () => {
    await withServer({ onConnect: () => undefined }, async ({ url }) => {
      const sent = send(url, { silentMilliseconds: 300 })
      const { isEnded } = await within(10_000, sent, 'until the worker gave up')
      assert.equal(isEnded, false)
    })
  })
})
