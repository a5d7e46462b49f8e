import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Budgets, openBudgets } from '../../src/config/budgets.ts'
import { raw, sql } from '../../src/db/sql.ts'
import type { StreamLimits } from '../../src/db/streamed-reads.ts'
import { fixture } from '../support/fixture.ts'
import { type LiveReader, openEventStream } from '../support/live-events.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

const mebibyte = 1024 ** 2
/** These rows are larger than the buffers of the operating systems on both sides, at most 4 MB each. */
const rows = 16_000
const insertParts = 8

/** No reader is too slow, unless a test sets a shorter limit. */
const generousLimits: Partial<StreamLimits> = {
  pauseSecondsMax: 600,
  graceSeconds: 600,
  shareSeconds: 600,
  patienceSeconds: 0.05,
}

interface ExportHost {
  readonly rest: RestUnderTest
  readonly budgets: Budgets
  readonly accounts: readonly Person[]
}

async function startExportHost(limits: Partial<StreamLimits>, aheadMebibytes = 1): Promise<ExportHost> {
  const budgets = openBudgets({
    exportBytes: aheadMebibytes * mebibyte,
    exportBytesOfAccount: aheadMebibytes * mebibyte,
  })
  const rest = await startRestUnderTest({}, { budgets, exportLimits: { ...generousLimits, ...limits } })
  // The rows are inserted in parts, so that no statement takes longer than the allowed seven seconds.
  for (let part = 0; part < insertParts; part += 1)
    await rest.database.singleWrites.query(
      raw(`insert into organizations (id, name, description) select gen_random_uuid(), 'Mass', repeat('x', 2000)
        from generate_series(1, ${rows / insertParts})`),
    )
  return { rest, budgets, accounts: await Promise.all([rest.signUp(), rest.signUp(), rest.signUp()]) }
}

/** Opens an export that is read only when the test reads it. */
function openReader({ rest }: ExportHost, { token }: Person) {
  const { hostname, port } = new URL(rest.address)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  let received = ''
  let error: string | undefined
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    error = code ?? 'unknown'
  })
  socket.write(
    `GET /ext/export/organizations HTTP/1.1\r\nhost: t\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
  )
  return {
    leave: () => socket.destroy(),
    read(bytes: number) {
      received += socket.read(Math.min(bytes, socket.readableLength) || 1) ?? ''
    },
    async readToEnd() {
      socket.on('data', (chunk: string) => {
        received += chunk
      })
      await until(() => socket.closed, 'the end of the connection')
      return {
        error,
        rows: received.match(/Mass/g)?.length ?? 0,
        // The last chunk of a body is an empty one.
        isWhole: received.startsWith('HTTP/1.1 200') && received.endsWith('\r\n0\r\n\r\n'),
      }
    },
  }
}

const countConnectionsInUse = async ({ rest }: ExportHost): Promise<number> => {
  const [row] = await rest.database.query<{ count: number }>(sql`
    select count(*)::int from pg_stat_activity
      where datname = current_database() and state <> 'idle' and query like 'fetch%'`)
  return row?.count ?? 0
}

async function runExport({ rest }: ExportHost, { token }: Person): Promise<number> {
  const { status } = await rest.call('GET', '/ext/export/organizations?search=none', { token })
  return status
}

describe('A client that does not read its export', () => {
  let scene: ExportHost
  before(async () => {
    scene = await startExportHost({ pauseSecondsMax: 0.5 })
  })
  after(() => scene.rest.stop())

  test('is disconnected even if no other export waits', async () => {
    const [ann] = scene.accounts as [Person]
    const reader = openReader(scene, ann)
    await until(async () => (await countConnectionsInUse(scene)) === 1, 'the export to wait for its reader')
    await until(async () => (await countConnectionsInUse(scene)) === 0, 'the connection to the store')
    await until(
      () => scene.budgets.budget('exportBytes').used() === 0,
      'the bytes that were read ahead to be released',
    )
    const { error, isWhole } = await reader.readToEnd()
    assert.deepEqual([error, isWhole], ['ECONNRESET', false])
  })
})

describe('Two accounts that stop reading', () => {
  let scene: ExportHost
  before(async () => {
    scene = await startExportHost({ graceSeconds: 0.1, waitSecondsMax: 5 })
  })
  after(() => scene.rest.stop())

  const occupy = async () => {
    const readers = scene.accounts.slice(0, 2).map((account) => openReader(scene, account))
    await until(
      async () => (await countConnectionsInUse(scene)) === 2,
      'both exports to wait for their readers',
    )
    return readers
  }
  const leave = async (readers: readonly ReturnType<typeof openReader>[]) => {
    for (const reader of readers) reader.leave()
    await until(async () => (await countConnectionsInUse(scene)) === 0, 'the exports to end')
  }

  test('do not stop the export of a third', async () => {
    const [, , cleo] = scene.accounts as [Person, Person, Person]
    for (let round = 0; round < 3; round += 1) {
      const readers = await occupy()
      assert.equal(await runExport(scene, cleo), 200)
      await leave(readers)
    }
  })

  test('give way, too, if they read a little now and then', async () => {
    const [, , cleo] = scene.accounts as [Person, Person, Person]
    const readers = await occupy()
    const trickle = setInterval(() => {
      for (const reader of readers) reader.read(1000)
    }, 20)
    try {
      assert.equal(await runExport(scene, cleo), 200)
    } finally {
      clearInterval(trickle)
    }
    await leave(readers)
  })

  test('give way to other accounts only, whereas their own further exports wait', async () => {
    const [ann] = scene.accounts as [Person]
    const readers = await occupy()
    const ownExport = runExport(scene, ann)
    await sleep(500)
    assert.equal(await countConnectionsInUse(scene), 2)
    await leave(readers)
    assert.equal(await ownExport, 200)
  })
})

describe('A slow reader', () => {
  test('gets everything while no other export waits', async () => {
    const scene = await startExportHost({ graceSeconds: 0, shareSeconds: 0 })
    try {
      const [ann] = scene.accounts as [Person]
      const reader = openReader(scene, ann)
      await until(async () => (await countConnectionsInUse(scene)) === 1, 'the export to wait for its reader')
      for (let pauses = 0; pauses < 10; pauses += 1) {
        reader.read(100_000)
        await sleep(30)
      }
      assert.deepEqual(await reader.readToEnd(), { error: undefined, rows, isWhole: true })
    } finally {
      await scene.rest.stop()
    }
  })

  test('holds no connection if its rows fit into memory', async () => {
    const scene = await startExportHost({ graceSeconds: 0, shareSeconds: 0 }, 64)
    try {
      const [ann, ben, cleo] = scene.accounts as [Person, Person, Person]
      const reader = openReader(scene, ann)
      const { used } = scene.budgets.budget('exportBytes')
      await until(
        async () => used() > mebibyte && (await countConnectionsInUse(scene)) === 0,
        'all to be read',
      )
      assert.ok(used() <= scene.budgets.budget('exportBytes').max)
      for (const account of [ann, ben, cleo]) assert.equal(await runExport(scene, account), 200)
      assert.deepEqual(await reader.readToEnd(), { error: undefined, rows, isWhole: true })
      assert.equal(used(), 0)
    } finally {
      await scene.rest.stop()
    }
  })
})

describe('An export', () => {
  let scene: ExportHost
  before(async () => {
    scene = await startExportHost({ shareSeconds: 0.2, waitSecondsMax: 5 })
  })
  after(() => scene.rest.stop())

  /** Reads an endless export as fast as possible, until the signal aborts it. */
  async function readEndlessly(account: string, signal: AbortSignal): Promise<void> {
    const endless = scene.rest.database.exports.stream<{ n: string }>({
      account,
      statement: sql`select generate_series(1, 1000000000) as n`,
      format: (part) => part.map(({ n }) => n).join(),
      signal,
      onCut: () => undefined,
    })
    for await (const slice of endless) assert.ok(slice.length > 0)
  }

  test('that is read fast gives way, too, once it has had its share', async () => {
    const stopping = new AbortController()
    const endless = Promise.allSettled(
      ['first', 'second'].map((account) => readEndlessly(account, stopping.signal)),
    )
    await until(async () => (await countConnectionsInUse(scene)) === 2, 'both to be read')
    const [ann] = scene.accounts as [Person]
    assert.equal(await runExport(scene, ann), 200)
    stopping.abort()
    await endless
  })

  test('whose client leaves while it waits is not started', async () => {
    const running = new AbortController()
    const waitingClient = new AbortController()
    const reads = Promise.allSettled([
      readEndlessly('ann', running.signal),
      readEndlessly('ann', waitingClient.signal),
    ])
    const waiting = () => scene.budgets.budget('exportsWaiting').used()
    await until(() => waiting() === 1, 'the second one to wait')
    waitingClient.abort()
    assert.equal(waiting(), 0)
    running.abort()
    await reads
  })
})

test('An export that takes too long in total is interrupted', async () => {
  const scene = await startExportHost({ streamSecondsMax: 0.5 })
  try {
    const [ann] = scene.accounts as [Person]
    const reader = openReader(scene, ann)
    await until(async () => (await countConnectionsInUse(scene)) === 1, 'the export to wait for its reader')
    await until(async () => (await countConnectionsInUse(scene)) === 0, 'the export to be interrupted')
    assert.equal((await reader.readToEnd()).isWhole, false)
  } finally {
    await scene.rest.stop()
  }
})

const kibibyte = 1024

describe('The bytes that are buffered for live listings of one account', { concurrency: 1 }, () => {
  const budgets = openBudgets({ liveBytesOfAccount: 300 * kibibyte })
  const rest = fixture(startRestUnderTest, { METRICS: 'true' }, { budgets })
  before(async () => {
    await rest.database.singleWrites.query(
      raw(
        `insert into impediments (id, name) select gen_random_uuid(), n::text from generate_series(1, 110) n`,
      ),
    )
  })

  /** Listings with different page sizes are not shared. */
  const open = (token: string, pageSize: number) =>
    openEventStream(rest.address, `/api/impediments?pageSize=${pageSize}`, { token })
  const nameAll = (name: string) =>
    rest.database.singleWrites.query(raw(`update impediments set name = ${name} where active`))
  async function readUsedBytes(): Promise<number> {
    const { body } = await rest.call('GET', '/metrics')
    return Number(/^budget_used\{[^}]*"liveBytesOfAccount"[^}]*\} (\d+)$/m.exec(body)?.[1])
  }
  async function waitUntilUnused() {
    for (let attempt = 0; (await readUsedBytes()) !== 0; attempt += 1) {
      assert.ok(attempt < 100, 'The bytes of closed listings are still counted.')
      await sleep(50)
    }
  }

  test('are limited, and a listing above the limit is rejected with 429', async () => {
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
    assert.match(
      JSON.parse(last.rejection).message,
      /^The live listings of an account may have at most .* MiB/,
    )
    assert.ok(last.headers['retry-after'])
    const bytes = await readUsedBytes()
    assert.ok(bytes > 200 * kibibyte && bytes <= 300 * kibibyte, `${bytes} bytes`)
    const { body: metrics } = await rest.call('GET', '/metrics')
    assert.match(metrics, /^budget_refusals_total\{[^}]*"liveBytesOfAccount"[^}]*\} 1$/m)
    const ofOtherAccount = await open(rest.administrator.token, 100)
    assert.equal(ofOtherAccount.status, 200)
    for (const live of [ofOtherAccount, ...lives]) live.close()
    await waitUntilUnused()
  })

  test('do not exceed the limit when rows grow', async () => {
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
      assert.ok(attempt < 100, 'No listing has ended.')
      assert.ok((await readUsedBytes()) <= 300 * kibibyte)
      await sleep(50)
    }
    const [ended] = lives.filter(({ isEnded }) => isEnded)
    assert.match(ended?.comments.at(-1) ?? '', /^The live listings of an account may have at most /)
    const remaining = lives.filter(({ isEnded }) => !isEnded)
    const events = await Promise.all(remaining.map((live) => live.next().catch(() => undefined)))
    assert.ok(events.filter((event) => /"totalCount":112|long long/.test(JSON.stringify(event))).length > 2)
    for (const live of lives) live.close()
    await waitUntilUnused()
  })
})
