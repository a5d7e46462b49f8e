import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type pg from 'pg'
import { budgetLimits } from '../../src/config/budgets.ts'
import { makeToken } from '../support/api-tokens.ts'
import { refresh, signedIn } from '../support/browser.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

const placesOfAccount = budgetLimits.storeTransactionsOfAccount.max

const skip = isDistributed && 'Rows cannot be held there.'

/** The lock represents a batch of a thousand, or a removal of many rows. */
describe('While dozens of writes of one account wait for a row,', { concurrency: 1, skip }, () => {
  let holder: pg.Client
  let watcher: pg.Client

  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const greedy = fixture(() => rest.signUp())
  const modest = fixture(() => rest.signUp())
  beforeEach(async () => {
    holder = await connectDirectly(rest.database)
    // A transaction would see the same ones waiting until it ends.
    watcher = await connectDirectly(rest.database)
  })
  afterEach(() => Promise.all([holder.end(), watcher.end()]))

  const hold = (table: string, column: string, id: string) =>
    holder.query(`begin; select from ${table} where ${column} = '${id}' for update`)

  const send = async (by: Pick<Person, 'token'>, method: string, path: string, body: object, headers = {}) =>
    (await rest.call(method, path, { token: by.token, body, headers })).status

  /** Requests of a user in their own project. Each needs a write connection, and would be rejected after waiting for it. */
  async function work(): Promise<void> {
    const id = await workspace.project('Relaunch', modest)
    const values = { name: 'Renamed', organizationId: workspace.organizationId }
    const items = [{ operation: 'create', resource: 'project', body: values }]
    assert.equal(await send(modest, 'PATCH', '/api/project', { id, ...values }), 200)
    assert.equal(await send(modest, 'DELETE', '/api/project', { ids: [id] }), 200)
    assert.equal(await send(modest, 'POST', '/api/project/restore', { ids: [id] }), 200)
    assert.equal(await send(modest, 'POST', '/ext/batch', { items }), 200)
  }

  test('all others write and sign in, whatever those writes are', async () => {
    const id = await workspace.project('Greed', greedy)
    const program = { token: (await makeToken(rest, greedy.token)).secret }
    const values = { name: 'More', organizationId: workspace.organizationId }
    const items = [{ operation: 'update', resource: 'project', body: { id, ...values } }]
    await hold('projects', 'id', id)
    const waiting = [greedy, program].flatMap((by, one) =>
      Array.from({ length: 6 }, (_, count) => [
        send(by, 'PATCH', '/api/project', { id, ...values }),
        send(by, 'DELETE', '/api/project', { ids: [id] }),
        send(by, 'POST', '/api/project/restore', { ids: [id] }, { 'idempotency-key': `${one} ${count}` }),
        send(greedy, 'POST', '/ext/batch', { items }),
      ]).flat(),
    )
    await untilWaiting(watcher, placesOfAccount)
    await Promise.all([work(), rest.identity.signIn(modest.login)])
    await holder.query('commit')
    // On a slow machine some have waited too long meanwhile.
    assert.ok((await Promise.all(waiting)).every((status) => status < 500 || status === 503))
  })

  test('all others write while an account’s many refreshes wait for its own session', async () => {
    const { browser, tokens } = await signedIn(rest.identity.address, { login: greedy.login })
    await hold('signin_sessions', 'user_id', greedy.id)
    const waiting = Array.from({ length: 20 }, () => refresh(browser, tokens.refresh_token))
    await untilWaiting(watcher, placesOfAccount)
    await work()
    await holder.query('commit')
    const answers = await Promise.all(waiting)
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  describe('by commands,', () => {
    // With connections of its own.
    const commands = fixture(startCommandsUnderTest, {}, { alongside: rest })
    const calls = fixture(() => openCommandCalls(commands.target))

    test('commands of all others are executed', async () => {
      const { organizationId } = workspace
      const [one, other] = [await commands.signUp(), await commands.signUp()]
      const call = async (by: Pick<Person, 'token'>, name: string, request: object) => {
        const { code, details, result } = await calls.call(name, request, { token: by.token })
        assert.equal(code, 0, details)
        return result
      }
      const { project } = await call(one, 'CreateProject', { name: 'Greed', organizationId })
      await hold('projects', 'id', project.id)
      const wanted = { id: project.id, name: 'More', organizationId }
      const waiting = Array.from({ length: 40 }, () => call(one, 'UpdateProject', wanted))
      await untilWaiting(watcher, placesOfAccount)
      await call(other, 'CreateProject', { name: 'Relaunch', organizationId })
      await holder.query('commit')
      const done = (await Promise.allSettled(waiting)).filter(({ status }) => status === 'fulfilled')
      assert.ok(done.length >= placesOfAccount)
    })
  })
})
