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

const transactionsOfAccountMax = budgetLimits.storeTransactionsOfAccount.max

const skip = isDistributed && 'The test cannot lock rows of a distributed store.'

/**
 * The lock stands in for a long transaction, such as a batch of a thousand items or the removal of many rows.
 */
describe('While dozens of writes of one account wait for a row,', { concurrency: 1, skip }, () => {
  let holder: pg.Client
  let watcher: pg.Client

  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const greedy = fixture(() => rest.signUp())
  const modest = fixture(() => rest.signUp())
  beforeEach(async () => {
    holder = await connectDirectly(rest.database)
    // `holder` cannot watch, because pg_stat_activity does not change within a transaction.
    watcher = await connectDirectly(rest.database)
  })
  afterEach(() => Promise.all([holder.end(), watcher.end()]))

  const hold = (table: string, column: string, id: string) =>
    holder.query(`begin; select from ${table} where ${column} = '${id}' for update`)

  const send = async (
    { token }: Pick<Person, 'token'>,
    method: string,
    path: string,
    body: object,
    headers = {},
  ) => (await rest.call(method, path, { token, body, headers })).status

  /**
   * Sends writes of another user, each of which needs a write connection, and fails if none becomes free in
   * time.
   */
  async function work(): Promise<void> {
    const id = await workspace.project('Relaunch', modest)
    const values = { name: 'Renamed', organizationId: workspace.organizationId }
    const items = [{ operation: 'create', resource: 'project', body: values }]
    assert.equal(await send(modest, 'PATCH', '/api/project', { id, ...values }), 200)
    assert.equal(await send(modest, 'DELETE', '/api/project', { ids: [id] }), 200)
    assert.equal(await send(modest, 'POST', '/api/project/restore', { ids: [id] }), 200)
    assert.equal(await send(modest, 'POST', '/ext/batch', { items }), 200)
  }

  test('other accounts can write and sign in', async () => {
    const id = await workspace.project('Greed', greedy)
    const personalToken = { token: (await makeToken(rest, greedy.token)).secret }
    const values = { name: 'More', organizationId: workspace.organizationId }
    const items = [{ operation: 'update', resource: 'project', body: { id, ...values } }]
    await hold('projects', 'id', id)
    const waiting = [greedy, personalToken].flatMap((caller, callerIndex) =>
      Array.from({ length: 6 }, (_, count) => {
        const key = { 'idempotency-key': `${callerIndex} ${count}` }
        return [
          send(caller, 'PATCH', '/api/project', { id, ...values }),
          send(caller, 'DELETE', '/api/project', { ids: [id] }),
          send(caller, 'POST', '/api/project/restore', { ids: [id] }, key),
          send(caller, 'POST', '/ext/batch', { items }),
        ]
      }).flat(),
    )
    await untilWaiting(watcher, transactionsOfAccountMax)
    await Promise.all([work(), rest.identity.signIn(modest.login)])
    await holder.query('commit')
    // Some writes may have waited for too long on a slow machine.
    assert.ok((await Promise.all(waiting)).every((status) => status < 500 || status === 503))
  })

  test('other accounts can write, even if the waiting writes are refreshes of a session', async () => {
    const { browser, tokens } = await signedIn(rest.identity.address, { login: greedy.login })
    await hold('signin_sessions', 'user_id', greedy.id)
    const waiting = Array.from({ length: 20 }, () => refresh(browser, tokens.refresh_token))
    await untilWaiting(watcher, transactionsOfAccountMax)
    await work()
    await holder.query('commit')
    const answers = await Promise.all(waiting)
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  describe('by commands,', () => {
    // This host has its own connections to the database.
    const commands = fixture(startCommandsUnderTest, {}, { alongside: rest })
    const calls = fixture(() => openCommandCalls(commands.target))

    test('commands of other accounts are executed', async () => {
      const { organizationId } = workspace
      const busy = await commands.signUp()
      const other = await commands.signUp()
      const call = async ({ token }: Pick<Person, 'token'>, name: string, request: object) => {
        const { code, details, result } = await calls.call(name, request, { token })
        assert.equal(code, 0, details)
        return result
      }
      const { project } = await call(busy, 'CreateProject', { name: 'Greed', organizationId })
      await hold('projects', 'id', project.id)
      const change = { id: project.id, name: 'More', organizationId }
      const waiting = Array.from({ length: 40 }, () => call(busy, 'UpdateProject', change))
      await untilWaiting(watcher, transactionsOfAccountMax)
      await call(other, 'CreateProject', { name: 'Relaunch', organizationId })
      await holder.query('commit')
      const done = (await Promise.allSettled(waiting)).filter(({ status }) => status === 'fulfilled')
      assert.ok(done.length >= transactionsOfAccountMax)
    })
  })
})
