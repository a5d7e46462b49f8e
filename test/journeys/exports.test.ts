import assert from 'node:assert/strict'
import { get } from 'node:http'
import { describe, test } from 'node:test'
import { budgetLimits, openBudgets } from '../../src/config/budgets.ts'
import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { type Entity, entities, extensionListPathOf, resources } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { connectDirectly } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { until } from '../support/until.ts'

const exportOf = (entity: Entity) => `/ext/export/${resources[entity].list}`

/** Parses RFC 4180 independently of the code that writes it. */
function parseCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') rows.push([])
  }
  const [head = [], ...lines] = rows.filter((row) => row.length > 1)
  return lines.map((line) => Object.fromEntries(head.map((name, index) => [name, line[index] ?? ''])))
}

/** Inserts rows of two kilobytes. The connection of a host would have too little time for it on a busy machine. */
async function insertMany(database: Database, rows: number) {
  await using direct = await connectDirectly(database)
  await direct.query(
    `insert into organizations (id, name, description)
    select gen_random_uuid(), 'Mass', repeat('x', 2000) from generate_series(1, $1::int)`,
    [rows],
  )
}

describe('An export', () => {
  const rest = fixture(startRestUnderTest, {}, { budgets: openBudgets({ exportBytes: 1024 ** 2 }) })
  const workspace = fixture(seed, rest)

  const read = (path: string, by: Person = rest.administrator) => by.call('GET', path)
  const linesOf = ({ body }: { body: string }) =>
    body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))

  for (const entity of entities)
    test(`of ${resources[entity].list} has the rows of the list, as CSV and as lines of JSON`, async () => {
      const list = await read(`${extensionListPathOf(entity)}?pageSize=100`)
      const { data } = list.body.result
      const lines = await read(`${exportOf(entity)}?format=jsonl`)
      assert.equal(lines.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
      const known = new Set(data.map(({ id }: { id: string }) => id))
      assert.deepEqual(
        linesOf(lines).filter(({ id }) => known.has(id)),
        data,
      )
      const csv = await read(exportOf(entity))
      assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
      assert.match(
        csv.headers.get('content-disposition') ?? '',
        new RegExp(`"${resources[entity].list}.csv"`),
      )
      const [head] = csv.body.split('\r\n')
      const names = Object.keys(data[0] ?? {})
      if (names.length > 0) assert.equal(head, names.join())
    })

  test('is CSV that a spreadsheet does not evaluate', async () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '\u200B=1', "'=1"]
    const plainTexts = ['a "quoted", line\r\nand another', 'Grüße 🎉', "'quoted"]
    const made = await Promise.all(
      [...formulas, ...plainTexts].map((description) =>
        workspace.make('organization', { name: 'Texts', description }),
      ),
    )
    const { body } = await read('/ext/export/organizations?search=Texts')
    const rows = parseCsv(body)
    for (const { id, createdAt, description } of made) {
      const row = rows.find((found) => found.id === id)
      assert.equal(row?.description, formulas.includes(description) ? `'${description}` : description)
      assert.deepEqual([row?.createdAt, row?.updatedAt, row?.active], [createdAt, '', 'true'])
    }
  })

  test('accepts and rejects the same filters and orders as the list', async () => {
    const project = await workspace.project('Filtered')
    for (const name of ['B', 'A', 'C']) await workspace.assignment(project, rest.administrator.id, { name })
    await workspace.assignment(await workspace.project('Other'), rest.administrator.id, { name: 'A' })
    const { body } = await read(`/ext/export/assignments?projectId=${project}&sortColumn=name&sortOrder=desc`)
    assert.deepEqual(
      parseCsv(body).map(({ name }) => name),
      ['C', 'B', 'A'],
    )
    for (const query of [
      'projectId=x',
      'sortOrder=up',
      'format=xml',
      'organizationId=',
      'search=a&search=b',
    ]) {
      const answer = await read(`/ext/export/assignments?${query}`)
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), [query.split('=')[0]])
    }
  })

  test('has exactly the rows that its caller can see', async () => {
    const [ann, bob] = [await rest.signUp(), await rest.signUp()]
    const [anns, bobs] = [await workspace.project('Of Ann', ann), await workspace.project('Of Bob', bob)]
    const idsOf = async (path: string, by: Person) =>
      linesOf(await read(`${path}?format=jsonl`, by)).map(({ id }) => id)
    assert.deepEqual(await idsOf('/ext/export/projects', ann), [anns])
    assert.deepEqual(await idsOf('/ext/export/people', bob), [bob.id])
    assertEnvelope(await read('/ext/export/users', ann), 403)
    assertEnvelope(await rest.call('GET', '/ext/export/projects'), 401)
    await workspace.write('DELETE', '/api/project', { ids: [bobs] }, bob)
    assert.deepEqual(await idsOf('/ext/export/removed/projects', bob), [bobs])
    assert.deepEqual(await idsOf('/ext/export/removed/projects', ann), [])
    assert.deepEqual(await idsOf('/ext/export/projects', bob), [])
  })

  test('of many rows waits for its reader with a limited buffer', async () => {
    const rows = 10_000
    await insertMany(rest.database, rows)
    const open = () =>
      new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${rest.administrator.token}` }
        get(`${rest.address}/ext/export/organizations?search=Mass`, { headers }, resolve).on('error', reject)
      })
    const paused = await open()
    assert.equal(paused.statusCode, 200)
    const isWaiting = async () => {
      const found = await rest.database.query(sql`
        select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`)
      return found.length > 0
    }
    await until(isWaiting, 'the export to wait for its reader')
    assert.equal((await read('/api/organizations?search=Mass')).status, 200)
    await workspace.make('organization', { name: 'Mass written meanwhile' })
    let lines = 0
    for await (const chunk of paused.setEncoding('utf8')) lines += chunk.split('\n').length - 1
    assert.equal(lines, rows + 1)
    // A client that disconnects releases the budget and the connection of its export.
    const disconnected = await open()
    await until(isWaiting, 'the export to wait for its reader')
    disconnected.destroy()
    await until(async () => !(await isWaiting()), 'the connection to be released')
  })
})

test('An account has one export at a time', async () => {
  await using rest = await startRestUnderTest({}, { budgets: openBudgets({ exportBytes: 1024 ** 2 }) })
  await insertMany(rest.database, 10_000)
  const { token } = rest.administrator
  const controller = new AbortController()
  const first = await fetch(`${rest.address}/ext/export/organizations`, {
    headers: { authorization: `Bearer ${token}` },
    signal: controller.signal,
  })
  assert.equal(first.status, 200)
  const { exportsWaitingOfAccount: waitingMax } = budgetLimits
  const excessRequests = Array.from({ length: waitingMax.max + 1 }, () =>
    rest.call('GET', '/ext/export/workflows', { token }),
  )
  // The one above the limit is rejected at once, before any of the others begins.
  assertEnvelope(await Promise.race(excessRequests), 429)
  controller.abort()
  const statuses = (await Promise.all(excessRequests)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [...Array(waitingMax.max).fill(200), 429])
})
