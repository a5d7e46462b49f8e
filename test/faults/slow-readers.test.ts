import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Budgets, openBudgets } from '../../src/config/budgets.ts'
import { raw, sql } from '../../src/db/sql.ts'
import type { StreamLimits } from '../../src/db/streamed-reads.ts'
import { fixture } from '../support/fixture.ts'
import { type LiveReader, listen } from '../support/live-events.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

const mebibyte = 1024 ** 2
/** More than the systems on both sides keep for a reader, which is 4 MB each at most. */
const rows = 16_000
const insertParts = 8

/** Nothing is late unless a test says when. */
const patient: Partial<StreamLimits> = {
  pauseSecondsMax: 600,
  graceSeconds: 600,
  shareSeconds: 600,
  patienceSeconds: 0.05,
}

interface Scene {
  readonly rest: RestUnderTest
  readonly budgets: Budgets
  readonly accounts: readonly Person[]
}

async function startScene(limits: Partial<StreamLimits>, aheadMebibytes = 1): Promise<Scene> {
  const budgets = openBudgets({
    exportBytes: aheadMebibytes * mebibyte,
    exportBytesOfAccount: aheadMebibytes * mebibyte,
  })
  const rest = await startRestUnderTest({}, { budgets, exportLimits: { ...patient, ...limits } })
  // In parts: a statement may take seven seconds, also on a busy machine.
  for (let part = 0; part < insertParts; part += 1)
    await rest.database.singleWrites.query(
      raw(`insert into organizations (id, name, description) select gen_random_uuid(), 'Mass', repeat('x', 2000)
        from generate_series(1, ${rows / insertParts})`),
    )
  return { rest, budgets, accounts: await Promise.all([rest.signUp(), rest.signUp(), rest.signUp()]) }
}

/** An export whose reader takes nothing unless the test does. */
function openReader({ rest }: Scene, { token }: Person) {
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
    take(bytes: number) {
      received += socket.read(Math.min(bytes, socket.readableLength) || 1) ?? ''
    },
    async takeRest() {
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

const connectionsInUse = async ({ rest }: Scene): Promise<number> => {
  const [found] = await rest.database.query<{ count: number }>(sql`
    select count(*)::int from pg_stat_activity
      where datname = current_database() and state <> 'idle' and query like 'fetch%'`)
  return found?.count ?? 0
}

async function exportOf({ rest }: Scene, { token }: Person): Promise<number> {
  const { status } = await rest.call('GET', '/ext/export/organizations?search=none', { token })
  return status
}

describe('A reader that takes nothing', () => {
  let scene: Scene
  before(async () => {
    scene = await startScene({ pauseSecondsMax: 0.5 })
  })
  after(() => scene.rest.stop())

  test('is disconnected even if no other export waits, and its response is incomplete', async () => {
    const [ann] = scene.accounts as [Person]
    const reader = openReader(scene, ann)
    await until(async () => (await connectionsInUse(scene)) === 1, 'the export to wait for its reader')
    await until(async () => (await connectionsInUse(scene)) === 0, 'the connection to the store')
    await until(() => scene.budgets.budget('exportBytes').used() === 0, 'what was read ahead')
    const { error, isWhole } = await reader.takeRest()
    assert.deepEqual([error, isWhole], ['ECONNRESET', false])
  })
})

describe('Two accounts that stop reading,', () => {
  let scene: Scene
  before(async () => {
    scene = await startScene({ graceSeconds: 0.1, waitSecondsMax: 5 })
  })
  after(() => scene.rest.stop())

  const occupy = async () => {
    const readers = scene.accounts.slice(0, 2).map((account) => openReader(scene, account))
    await until(async () => (await connectionsInUse(scene)) === 2, 'both exports to wait for their readers')
    return readers
  }
  const leave = async (readers: readonly ReturnType<typeof openReader>[]) => {
    for (const reader of readers) reader.leave()
    await until(async () => (await connectionsInUse(scene)) === 0, 'the exports to end')
  }

  test('again and again, do not stop the export of a third', async () => {
    const [, , cleo] = scene.accounts as [Person, Person, Person]
    for (let round = 0; round < 3; round += 1) {
      const readers = await occupy()
      assert.equal(await exportOf(scene, cleo), 200)
      await leave(readers)
    }
  })

  test('give way too when they take a little now and then', async () => {
    const [, , cleo] = scene.accounts as [Person, Person, Person]
    const readers = await occupy()
    const trickle = setInterval(() => {
      for (const reader of readers) reader.take(1000)
    }, 20)
    try {
      assert.equal(await exportOf(scene, cleo), 200)
    } finally {
      clearInterval(trickle)
    }
    await leave(readers)
  })

  test('give way to other accounts only: their own further exports wait', async () => {
    const [ann] = scene.accounts as [Person]
    const readers = await occupy()
    const own = exportOf(scene, ann)
    await sleep(500)
    assert.equal(await connectionsInUse(scene), 2)
    await leave(readers)
    assert.equal(await own, 200)
  })
})

describe('A slow reader', () => {
  test('gets everything while no other export waits', async () => {
    const scene = await startScene({ graceSeconds: 0, shareSeconds: 0 })
    try {
      const [ann] = scene.accounts as [Person]
      const reader = openReader(scene, ann)
      await until(async () => (await connectionsInUse(scene)) === 1, 'the export to wait for its reader')
      for (let pauses = 0; pauses < 10; pauses += 1) {
        reader.take(100_000)
        await sleep(30)
      }
      assert.deepEqual(await reader.takeRest(), { error: undefined, rows, isWhole: true })
    } finally {
      await scene.rest.stop()
    }
  })

  test('holds no connection for what fits into memory, and then gets everything even if others wait', async () => {
    const scene = await startScene({ graceSeconds: 0, shareSeconds: 0 }, 64)
    try {
      const [ann, ben, cleo] = scene.accounts as [Person, Person, Person]
      const reader = openReader(scene, ann)
      const { used } = scene.budgets.budget('exportBytes')
      await until(async () => used() > mebibyte && (await connectionsInUse(scene)) === 0, 'all to be read')
      assert.ok(used() <= scene.budgets.budget('exportBytes').max)
      for (const account of [ann, ben, cleo]) assert.equal(await exportOf(scene, account), 200)
      assert.deepEqual(await reader.takeRest(), { error: undefined, rows, isWhole: true })
      assert.equal(used(), 0)
    } finally {
      await scene.rest.stop()
    }
  })
})

describe('An export', () => {
  let scene: Scene
  before(async () => {
    scene = await startScene({ shareSeconds: 0.2, waitSecondsMax: 5 })
  })
  after(() => scene.rest.stop())

  /** As long as it is asked for more, and as fast as the store is. */
  async function readForEver(account: string, signal: AbortSignal): Promise<void> {
    const endless = scene.rest.database.exports.stream<{ n: string }>({
      account,
      statement: sql`select generate_series(1, 1000000000) as n`,
      format: (part) => part.map(({ n }) => n).join(),
      signal,
      onCut: () => undefined,
    })
    for await (const slice of endless) assert.ok(slice.length > 0)
  }

  test('that is taken fast gives way as well once it has had its share', async () => {
    const left = new AbortController()
    const endless = Promise.allSettled(
      ['first', 'second'].map((account) => readForEver(account, left.signal)),
    )
    await until(async () => (await connectionsInUse(scene)) === 2, 'both to be read')
    const [ann] = scene.accounts as [Person]
    assert.equal(await exportOf(scene, ann), 200)
    left.abort()
    await endless
  })

  test('whose client leaves while it waits is not begun', async () => {
    const left = new AbortController()
    const gone = new AbortController()
    const reads = Promise.allSettled([readForEver('ann', left.signal), readForEver('ann', gone.signal)])
    const waiting = () => scene.budgets.budget('exportsWaiting').used()
    await until(() => waiting() === 1, 'the second one to wait')
    gone.abort()
    assert.equal(waiting(), 0)
    left.abort()
    await reads
  })
})

test('An export that takes too long in all is broken off', async () => {
  const scene = await startScene({ streamSecondsMax: 0.5 })
  try {
    const [ann] = scene.accounts as [Person]
    const reader = openReader(scene, ann)
    await until(async () => (await connectionsInUse(scene)) === 1, 'the export to wait for its reader')
    await until(async () => (await connectionsInUse(scene)) === 0, 'it to be broken off')
    assert.equal((await reader.takeRest()).isWhole, false)
  } finally {
    await scene.rest.stop()
  }
})

const kibibyte = 1024

describe('The bytes that live listings of one account keep', { concurrency: 1 }, () => {
  const budgets = openBudgets({ liveBytesOfAccount: 300 * kibibyte })
  const rest = fixture(startRestUnderTest, { METRICS: 'true' }, { budgets })
  before(async () => {
    await rest.database.singleWrites.query(
      raw(
        `insert into impediments (id, name) select gen_random_uuid(), n::text from generate_series(1, 110) n`,
      ),
    )
  })

  /** A listing of its own for each page size. */
  const open = (token: string, pageSize: number) =>
    listen(rest.address, `/api/impediments?pageSize=${pageSize}`, { token })
  const nameAll = (name: string) =>
    rest.database.singleWrites.query(raw(`update impediments set name = ${name} where active`))
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
    assert.match(
      JSON.parse(last.rejection).message,
      /^The live listings of an account may have at most .* MiB/,
    )
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
    const reported = await Promise.all(others.map((live) => live.next().catch(() => undefined)))
    assert.ok(reported.filter((event) => /"totalCount":112|long long/.test(JSON.stringify(event))).length > 2)
    for (const live of lives) live.close()
    await becomesUnused()
  })
})
