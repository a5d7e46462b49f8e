import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBudgets } from '../../src/config/budgets.ts'
import { newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import { createWebhook } from '../../src/features/webhooks/webhooks.ts'
import type { Context } from '../../src/records/context.ts'
import { create } from '../../src/records/create.ts'
import { update } from '../../src/records/update.ts'
import { impediment } from '../../src/resources/catalogs.ts'
import { freePort, startChild } from '../support/child-host.ts'
import { endsWithin } from '../support/embedded-store.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { insertAccount } from '../support/insert-account.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'tracker-signals-'))
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

test('Two signals in a row, as timeout or npm send them, still stop the hosts gracefully', async () => {
  const host = await startChild({ DATA_DIR: folder })
  host.process.kill('SIGINT')
  host.process.kill('SIGTERM')
  assert.equal(await host.end('SIGINT'), 0, host.output())
})

const root = join(import.meta.dirname, '..', '..')

describe('The program', () => {
  test('ends when npm gets SIGTERM', async (t) => {
    const port = await freePort()
    const folder = mkdtempSync(join(tmpdir(), 'npm-ends-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    // Only the web client is started, because it needs no store.
    const npm = spawn('npm', ['start', '--silent', '--', 'web'], {
      cwd: root,
      env: { ...process.env, WEB_PORT: String(port), DATA_DIR: folder },
      stdio: 'ignore',
      detached: true,
    })
    t.after(() => endGroup(npm))
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(answers, 'the web client')
    npm.kill('SIGTERM')
    await until(async () => !(await answers()), 'the end of the program')
  })

  test('stops the hosts gracefully when its terminal is closed', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'hangup-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const host = await startChild({ DATA_DIR: folder })
    const { pid = 0 } = host.process
    assert.equal(await host.end('SIGHUP'), 0, host.output())
    assert.ok(await endsWithin(pid, 1))
  })
})

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL')
  } catch {
    // It has ended, as it should.
  }
}

const rows = 10
const changesOfEach = 12
const login = 'demo@example.com'

test('All deliveries arrive after the process that sent them was killed', async () => {
  const { url, database, drop } = await freshDatabase()
  const receiver = await startReceiver()
  const context = { database, budgets: openBudgets() } as Context
  const owner = { id: (await insertAccount(database, { login })).id, isAdministrator: true }
  const environment = { DATABASE_URL: url, SVC_DEMO_LOGIN: login, WEBHOOK_RECEIVERS: receiver.host }
  const { id: hook } = await createWebhook(context, owner, { url: receiver.url }, () => undefined)
  // Some deliveries fail and some are slow, so that the process is killed during both.
  let count = 0
  receiver.answer((response) => {
    count += 1
    if (count % 7 === 0) response.writeHead(500).end()
    else setTimeout(() => response.end(), count % 5 === 0 ? 100 : 0)
  })
  const ids = Array.from({ length: rows }, () => newId())
  const write = async () => {
    for (const id of ids) await create(context, impediment, owner, { id, name: 'Written 0' })
    for (let change = 1; change < changesOfEach; change += 1)
      for (const id of ids) await update(context, impediment, owner, { id, name: `Written ${change}` })
  }
  let child = await startChild(environment)
  try {
    const writing = write()
    for (const arrived of [20, 60]) {
      await receiver.until((messages) => messages.length >= arrived)
      await child.end('SIGKILL')
      child = await startChild(environment)
    }
    await writing
    // Failed deliveries would wait for some seconds before the next attempt, so the test makes them due.
    const expected = rows * changesOfEach
    const countDelivered = async () => {
      const delivered = await database.query(
        sql`select from webhook_deliveries where webhook_id = ${hook} and delivered_at is not null`,
      )
      return delivered.length
    }
    const deadline = Date.now() + 60_000
    while ((await countDelivered()) < expected && Date.now() < deadline) {
      await database.transaction((transaction) =>
        transaction.query(sql`update webhook_deliveries set next_at = now() where next_at > now()`),
      )
      await sleep(100)
    }
    assert.equal(await countDelivered(), expected)
  } finally {
    await child.end('SIGTERM')
    await receiver.stop()
  }
  for (const id of ids) {
    const names = receiver.messages
      .filter(({ body }) => body.data.rowId === id)
      .map(({ body }) => body.data.after.name)
    const withoutRepetitions = [...new Set(names)]
    assert.deepEqual(
      withoutRepetitions,
      Array.from({ length: changesOfEach }, (_, change) => `Written ${change}`),
    )
  }
  const deliveries = await database.query<{ message: string }>(
    sql`select message from webhook_deliveries order by id`,
  )
  const messages = new Set(deliveries.map(({ message }) => message))
  assert.equal(messages.size, deliveries.length, 'no change has two deliveries')
  await drop()
})
