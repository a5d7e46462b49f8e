import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { afterEach, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { budgetLimits, openBudgets } from '../../src/config/budgets.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { create } from '../support/batches.ts'
import { fixture } from '../support/fixture.ts'
import { type LiveReader, openEventStream } from '../support/live-events.ts'
import { type Answer, type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { slowDownImpediments } from '../support/slow-table.ts'
import { until } from '../support/until.ts'

/** A read may take at most this many times as long as without slow lists. */
const quietTimesMax = 5

describe('While lists are slow,', { concurrency: 1 }, () => {
  let greedy: Person
  let reader: Person
  let projectId: string
  let restoreSpeed: () => Promise<void>

  const rest = fixture(startRestUnderTest)
  before(async () => {
    const workspace = await seed(rest)
    reader = await rest.signUp()
    projectId = await workspace.project('Relaunch', reader)
  })
  beforeEach(async () => {
    // Each test has a new user, because the lists of an account that was slow recently are separated at once.
    greedy = await rest.signUp()
    ;({ release: restoreSpeed } = await slowDownImpediments(rest.database))
  })
  afterEach(() => restoreSpeed())

  const searchOf = ({ token }: Person, text: string) =>
    rest.call('GET', `/api/impediments?search=${text}`, { token })

  async function millisecondsOf(work: () => Promise<Answer>): Promise<number> {
    const startedAt = performance.now()
    const { status } = await work()
    assert.equal(status, 200)
    return performance.now() - startedAt
  }

  /** Reads a list and a record, one after the other, as a user would. */
  async function timesOfReads(reads: number) {
    const { token } = reader
    const times: number[] = []
    for (let count = 0; count < reads; count += 1) {
      times.push(
        await millisecondsOf(() => rest.call('GET', '/api/projects', { token })),
        await millisecondsOf(() => rest.call('GET', `/api/project?id=${projectId}`, { token })),
      )
    }
    times.sort((first, second) => first - second)
    return { read: times[reads] ?? 0, slowestRead: times.at(-1) ?? 0 }
  }

  async function measure() {
    const startedAt = performance.now()
    await rest.identity.signIn(reader.login)
    const signIn = performance.now() - startedAt
    return { signIn, ...(await timesOfReads(10)) }
  }

  async function assertOthersAreServed(quiet: Awaited<ReturnType<typeof measure>>) {
    const crowded = await measure()
    for (const { kind, busyMachineMilliseconds } of [
      { kind: 'read', busyMachineMilliseconds: 200 },
      { kind: 'slowestRead', busyMachineMilliseconds: 1000 },
      { kind: 'signIn', busyMachineMilliseconds: 1000 },
    ] as const) {
      const limit = Math.max(quietTimesMax * quiet[kind], busyMachineMilliseconds)
      assert.ok(crowded[kind] < limit, `${kind}: ${crowded[kind]} ms, and ${quiet[kind]} when all was quiet.`)
    }
  }

  test('one is stopped after a few seconds, with 503, Retry-After and the name of the search', async () => {
    const startedAt = performance.now()
    const answer = await searchOf(greedy, 'ab')
    assertEnvelope(answer, 503)
    assert.equal(
      answer.body.message,
      'The search in impediments took longer than 2.5 seconds and was stopped. Search for a longer or rarer text, or narrow it with filters.',
    )
    assert.deepEqual(answer.body.errors, { search: [answer.body.message] })
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
    assert.ok(performance.now() - startedAt < 15_000)
    const plain = await greedy.call('GET', '/api/impediments')
    assert.match(
      plain.body.message,
      /^The list of impediments took longer than 2\.5 seconds and was stopped\./,
    )
  })

  test('120 searches of one account do not delay other accounts', async () => {
    const quiet = await measure()
    let isDone = false
    const rejections: Answer[] = []
    const searches = Array.from({ length: 120 }, async (_, count) => {
      while (!isDone) rejections.push(await searchOf(greedy, `q${count}`))
    })
    try {
      await sleep(500)
      await assertOthersAreServed(quiet)
    } finally {
      isDone = true
      await Promise.all(searches)
    }
    assert.ok(rejections.length >= 120)
    for (const answer of rejections) {
      assertEnvelope(answer, 503)
      assert.ok(answer.headers.get('retry-after'))
    }
  })

  test('250 live listings that cannot be refreshed delay no other client', async () => {
    await restoreSpeed()
    const people = await Promise.all(Array.from({ length: 13 }, () => rest.signUp()))
    const lives: LiveReader[] = []
    for (let count = 0; count < 250; count += 1) {
      const { token } = people[count % people.length] as Person
      lives.push(await openEventStream(rest.address, `/api/impediments?search=a${count}`, { token }))
    }
    await Promise.all(lives.map((live) => live.next()))
    const quiet = await measure()
    ;({ release: restoreSpeed } = await slowDownImpediments(rest.database))
    const { administrator } = rest
    const written: Promise<Answer>[] = []
    const writing = setInterval(() => {
      // Each write waits while the table is slow, and all listings show its change.
      written.push(administrator.call('POST', '/api/impediment', { name: `a${written.length + 1}` }))
    }, 1000)
    try {
      await sleep(1500)
      await assertOthersAreServed(quiet)
    } finally {
      clearInterval(writing)
      await restoreSpeed()
      restoreSpeed = () => Promise.resolve()
      await Promise.all(written)
    }
    for (const live of lives) assert.equal(live.isEnded, false)
    // A listing whose statement was stopped pauses for several times as long as the statement took.
    const [, listensToA1] = lives
    await listensToA1?.next(25)
    for (const live of lives) live.close()
  })
})

describe('Live listings of one account', () => {
  const rest = fixture(startRestUnderTest, { METRICS: 'true' })

  test('are at most twenty: the next one is rejected with 429 until one is closed', async () => {
    const person = await rest.signUp()
    const open = (token: string) => openEventStream(rest.address, '/api/workflows', { token })
    const lives = await Promise.all(Array.from({ length: 20 }, () => open(person.token)))
    for (const live of lives) assert.equal(live.status, 200)
    const rejected = await open(person.token)
    assert.equal(rejected.status, 429)
    assert.equal(
      JSON.parse(rejected.rejection).message,
      'An account may have at most 20 live listings open. Close one first.',
    )
    assert.ok(rejected.headers['retry-after'])
    assert.equal((await open(rest.administrator.token)).status, 200)
    const { body: metrics } = await rest.call('GET', '/metrics')
    assert.match(metrics, /^budget_used\{[^}]*liveListingsOfAccount[^}]*\} 20$/m)
    assert.match(metrics, /^budget_refusals_total\{[^}]*liveListingsOfAccount[^}]*\} 1$/m)
    lives[0]?.close()
    for (let attempt = 0; (await open(person.token)).status !== 200; attempt += 1) {
      assert.ok(attempt < 50, 'The closed listing is still counted.')
      await sleep(50)
    }
  })
})

const budgets = openBudgets()
const rest = fixture(startRestUnderTest, {}, { budgets })

/** Starts a batch whose body never arrives, and collects the response. */
function beginBatch({ token }: Person): { readonly socket: Socket; answer: string } {
  const { hostname, port } = new URL(rest.address)
  const socket = connect(Number(port), hostname)
  const batch = { socket, answer: '' }
  socket.setEncoding('latin1').on('data', (text: string) => {
    batch.answer += text
  })
  socket.on('error', () => undefined)
  socket.write(
    `POST /ext/batch HTTP/1.1\r\nhost: t\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
  )
  return batch
}

test('Batches that receive no body give way to waiting batches', async () => {
  const people = await Promise.all([rest.signUp(), rest.signUp()])
  const slow = people.flatMap((person) => [beginBatch(person), beginBatch(person)])
  const { batches } = budgetLimits
  await until(() => budgets.budget('batches').used() === batches.max, 'all slots to be taken')
  const items = [create('impediment', { name: 'Weather' })]
  const answer = await rest.administrator.call('POST', '/ext/batch', { items })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const late = slow.filter(({ answer }) => answer !== '')
  await until(() => late.every(({ socket }) => socket.closed), 'the connection to be closed')
  assert.ok(late.length > 0)
  for (const { answer } of late) {
    assert.match(answer, /^HTTP\/1\.1 503 /)
    assert.match(answer, /The body came too slowly while others waited\./)
  }
  for (const { socket } of slow) socket.destroy()
  await until(() => budgets.budget('batches').used() === 0, 'all slots to be released')
})
