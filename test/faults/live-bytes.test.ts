import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBudgets } from '../../src/config/budgets.ts'
import { raw } from '../../src/db/sql.ts'
import { type LiveReader, listen } from '../support/live-events.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

const kibibyte = 1024

describe('The bytes that live listings of one account keep', { concurrency: 1 }, () => {
  let rest: RestUnderTest
  const budgets = openBudgets({ liveBytesOfAccount: 300 * kibibyte })
  before(async () => {
    rest = await startRestUnderTest({ METRICS: 'true' }, { budgets })
    await rest.database.single.query(
      raw(
        `insert into impediments (id, name) select gen_random_uuid(), n::text from generate_series(1, 110) n`,
      ),
    )
  })
  after(() => rest.stop())

  /** A listing of its own for each page size. */
  const open = (token: string, pageSize: number) =>
    listen(rest.address, `/api/impediments?pageSize=${pageSize}`, { token })
  const nameAll = (name: string) =>
    rest.database.single.query(raw(`update impediments set name = ${name} where active`))
  async function used(): Promise<number> {
    const { body } = await rest.call('GET', '/metrics')
    return Number(/^budget_used\{[^}]*"liveBytesOfAccount"[^}]*\} (\d+)$/m.exec(body)?.[1])
  }
  async function becomesUnused() {
    for (let attempt = 0; (await used()) !== 0; attempt += 1) {
      assert.ok(attempt < 100, 'What closed listings kept is still counted.')
      await sleep(50)
    }
  }

  test('have an end: the listing that goes beyond it is rejected with 429, others’ are not', async () => {
    await nameAll(`repeat('long ', 40)`)
    const person = await rest.signUp()
    const lives: LiveReader[] = []
    let last = await open(person.token, 100)
    while (last.status === 200 && lives.length < 20) {
      lives.push(last)
      await last.next()
      last = await open(person.token, 100 - lives.length)
    }
    assert.ok(lives.length > 4 && lives.length < 12, `${lives.length} were opened.`)
    assert.equal(last.status, 429)
    assert.match(JSON.parse(last.refusal).message, /^The live listings of an account may have at most .* MiB/)
    assert.ok(last.headers['retry-after'])
    const bytes = await used()
    assert.ok(bytes > 200 * kibibyte && bytes <= 300 * kibibyte, `${bytes} bytes`)
    const { body: metrics } = await rest.call('GET', '/metrics')
    assert.match(metrics, /^budget_refusals_total\{[^}]*"liveBytesOfAccount"[^}]*\} 1$/m)
    const others = await open(rest.administrator.token, 100)
    assert.equal(others.status, 200)
    for (const live of [others, ...lives]) live.close()
    await becomesUnused()
  })

  test('do not grow beyond it with the rows: one stream ends with a reason, the others go on', async () => {
    await nameAll(`'short'`)
    const person = await rest.signUp()
    const lives = await Promise.all(Array.from({ length: 12 }, (_, index) => open(person.token, 100 - index)))
    for (const live of lives) {
      assert.equal(live.status, 200)
      await live.next()
    }
    const { token } = rest.administrator
    await nameAll(`repeat('long ', 40)`)
    await rest.call('POST', '/api/impediment', { token, body: { name: 'One more' } })
    for (let attempt = 0; !lives.some(({ isEnded }) => isEnded); attempt += 1) {
      assert.ok(attempt < 100, 'None was ended.')
      assert.ok((await used()) <= 300 * kibibyte)
      await sleep(50)
    }
    const [ended] = lives.filter(({ isEnded }) => isEnded)
    assert.match(ended?.comments.at(-1) ?? '', /^The live listings of an account may have at most /)
    const others = lives.filter(({ isEnded }) => !isEnded)
    const told = await Promise.all(others.map((live) => live.next().catch(() => undefined)))
    assert.ok(told.filter((event) => /"totalCount":112|long long/.test(JSON.stringify(event))).length > 2)
    for (const live of lives) live.close()
    await becomesUnused()
  })
})
