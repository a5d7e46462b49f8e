import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  createBudget,
  createBudgets,
  createRate,
  hasRoom,
  limitConcurrency,
  limitLogLines,
  oneAtATime,
  releaseAll,
  takeAll,
} from './budget.ts'
import { Problem } from './problem.ts'

describe('a budget', () => {
  test('grants what fits, rejects and counts what does not, and grants again what was released', () => {
    const budget = createBudget(10)
    assert.deepEqual([budget.take(4), budget.take(6), budget.take(1)], [true, true, false])
    assert.deepEqual([budget.used(), budget.rejected()], [10, 1])
    budget.release(6)
    assert.deepEqual([budget.take(6), budget.rejected()], [true, 1])
  })

  test('counts each holder separately', () => {
    const budget = createBudget(2)
    const [ann, bob] = [{}, {}]
    assert.deepEqual([budget.take(2, ann), budget.take(1, ann), budget.take(1, bob)], [true, false, true])
    assert.deepEqual([budget.used(ann), budget.used(bob), budget.largestUse()], [2, 1, 2])
    budget.release(2, ann)
    assert.equal(budget.largestUse(), 1)
  })

  test('throws when an amount is released twice', () => {
    const budget = createBudget(2)
    budget.take()
    budget.release()
    assert.throws(() => budget.release())
  })

  test('exists once for each name', () => {
    const limit = { max: 3, per: 'process', of: 'streams' } as const
    const budgets = createBudgets({ open: limit, other: limit })
    budgets.budget('open').take(2)
    assert.equal(budgets.budget('open').take(2), false)
    assert.deepEqual(budgets.states(), [{ name: 'open', ...limit, used: 2, rejected: 1 }])
  })
})

describe('a rate', () => {
  const rateOnAClock = () => {
    let milliseconds = 0
    const rate = createRate({ max: 10, perSecond: 2, now: () => milliseconds })
    const pass = (seconds: number) => {
      milliseconds += seconds * 1000
    }
    return { rate, pass }
  }

  test('refills by itself, never beyond its maximum', () => {
    const { rate, pass } = rateOnAClock()
    assert.deepEqual([rate.take(10, 'ann'), rate.take(1, 'ann'), rate.take(1, 'bob')], [true, false, true])
    pass(2)
    assert.deepEqual([rate.used('ann'), rate.used('bob'), rate.largestUse(), rate.rejected()], [6, 0, 6, 1])
    pass(100)
    assert.deepEqual([rate.take(10, 'ann'), rate.take(1, 'ann')], [true, false])
  })

  test('takes back a released amount', () => {
    const { rate, pass } = rateOnAClock()
    rate.take(4)
    pass(1)
    rate.release(4)
    assert.equal(rate.used(), 0)
    assert.deepEqual([rate.take(10), rate.take(1)], [true, false])
  })

  test('remembers the latest holders', () => {
    const { rate } = rateOnAClock()
    for (let holder = 0; holder <= 100_000; holder += 1) rate.take(1, holder)
    assert.deepEqual([rate.used(0), rate.used(1), rate.used(100_000)], [0, 1, 1])
  })

  test('has room for a whole unit only', () => {
    const { rate, pass } = rateOnAClock()
    const share = { budget: rate, holder: 'ann' }
    rate.take(10, 'ann')
    pass(0.4)
    assert.equal(hasRoom(share), false)
    pass(0.1)
    assert.equal(hasRoom(share), true)
  })
})

test('several budgets grant together, or nothing is taken from any of them', () => {
  const [wide, narrow] = [createBudget(10), createBudget(3)]
  const shares = [{ budget: wide, holder: 'ann' }, { budget: narrow }]
  assert.deepEqual([takeAll(shares, 2), takeAll(shares, 2)], [true, false])
  assert.deepEqual([wide.used('ann'), narrow.used(), narrow.rejected()], [2, 2, 1])
  releaseAll(shares, 2)
  assert.deepEqual([wide.used('ann'), narrow.used()], [0, 0])
})

const limitsOf = (atOnceMax = 2) => ({
  atOnce: createBudget(atOnceMax),
  waiting: createBudget(3),
  retryAfterSeconds: 7,
})

test('a limited number of tasks run at a time, in order of arrival', async () => {
  const runLimited = limitConcurrency(limitsOf())
  const started: number[] = []
  const finish: (() => void)[] = []
  const work = [0, 1, 2, 3, 4].map((number) =>
    runLimited(() => {
      started.push(number)
      return new Promise<void>((resolve) => finish.push(resolve))
    }),
  )
  for (const expected of [
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 1, 2, 3, 4],
  ]) {
    await turnOfLoop()
    assert.deepEqual(started, expected)
    finish[expected.length - 2]?.()
  }
  finish.at(-1)?.()
  await Promise.all(work)
})

test('a task beyond the queue limit is rejected with a retry time', async () => {
  const limits = limitsOf()
  const runLimited = limitConcurrency(limits)
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const admitted = [1, 2, 3, 4, 5].map(() => runLimited(() => finished))
  await assert.rejects(
    runLimited(() => finished),
    isBusy,
  )
  finish()
  await Promise.all(admitted)
  assert.equal(await runLimited(async () => 'in'), 'in')
  assert.deepEqual([limits.atOnce.rejected(), limits.waiting.rejected()], [0, 1])
  assert.deepEqual([limits.atOnce.used(), limits.waiting.used()], [0, 0])
})

test('the next task begins even if the previous one has failed', async () => {
  const runLimited = limitConcurrency(limitsOf(1))
  const failing = runLimited(() => Promise.reject(new Error('no')))
  const next = runLimited(async () => 'in')
  await assert.rejects(failing, { message: 'no' })
  assert.equal(await next, 'in')
})

test('one task runs at a time for each key', async () => {
  const runInTurn = oneAtATime({ waitingMax: 1, retryAfterSeconds: 7 })
  let finish = () => {}
  const first = runInTurn('ada', () => new Promise<void>((resolve) => (finish = resolve)))
  const second = runInTurn('ada', async () => 'second')
  await assert.rejects(
    runInTurn('ada', async () => 'third'),
    isBusy,
  )
  assert.equal(await runInTurn('grace', async () => 'other'), 'other')
  finish()
  await first
  assert.equal(await second, 'second')
  assert.equal(await runInTurn('ada', async () => 'again'), 'again')
})

const isBusy = (error: unknown) =>
  error instanceof Problem && error.kind === 'busy' && error.retryAfterSeconds === 7

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Limits the lines of a log with mocked timers, which are the clock of the budget, too. */
function limited(t: TestContext, rate: { readonly max: number; readonly perSecond: number }) {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'] })
  const written: { readonly leftOut?: number }[] = []
  const write = (details: object) => void written.push(details)
  const budget = createRate({ ...rate, now: () => Date.now() })
  const lines = limitLogLines({ debug: write, info: write, warn: write, error: write }, budget)
  const pass = (milliseconds: number) => t.mock.timers.tick(milliseconds)
  return { lines, budget, written, pass }
}

test('The next line that fits the budget reports how many were left out', (t) => {
  const { lines, written, pass } = limited(t, { max: 2, perSecond: 2 })
  for (let count = 1; count <= 5; count += 1) lines.info({ count }, 'A request has ended.')
  pass(500)
  lines.info({ count: 6 }, 'A request has ended.')
  pass(500)
  lines.info({ count: 7 }, 'A request has ended.')
  assert.deepEqual(written, [{ count: 1 }, { count: 2 }, { count: 6, leftOut: 3 }, { count: 7 }])
})

test('The last line of a flood is written after a while', (t) => {
  const { lines, written, pass } = limited(t, { max: 1, perSecond: 1 })
  for (let count = 1; count <= 5; count += 1) lines.warn({ count }, 'A request has ended.')
  pass(1000)
  // Nothing else is written afterwards.
  pass(5000)
  assert.deepEqual(written, [{ count: 1 }, { count: 5, leftOut: 3 }])
})

test('The last line of a flood waits until it fits the budget, and is counted as rejected only once', (t) => {
  const { lines, budget, written, pass } = limited(t, { max: 1, perSecond: 0.5 })
  for (let count = 1; count <= 2; count += 1) lines.warn({ count }, 'A request has ended.')
  pass(1000)
  assert.deepEqual(written, [{ count: 1 }])
  pass(1000)
  assert.deepEqual(written, [{ count: 1 }, { count: 2 }])
  assert.equal(budget.rejected(), 1)
})

test('A long flood writes no more lines than the budget has, and counts all others', (t) => {
  const [max, perSecond] = [1000, 50]
  const { lines, written, pass } = limited(t, { max, perSecond })
  let [sent, milliseconds] = [0, 0]
  while (milliseconds < 300_000) {
    // About 500 lines a second, at irregular times.
    const pause = [0, 5, 1, 3, 0, 2, 4][sent % 7] ?? 0
    pass(pause)
    milliseconds += pause
    lines.info({}, 'A request has ended.')
    sent += 1
    const allowed = Math.min(sent, max + Math.floor((milliseconds * perSecond) / 1000))
    if (written.length > allowed || written.length < allowed - 1)
      assert.fail(`${written.length} lines were written in ${milliseconds} ms instead of ${allowed}`)
  }
  pass(1000)
  assert.equal(
    written.reduce((sum, { leftOut = 0 }) => sum + 1 + leftOut, 0),
    sent,
  )
})

test('A flood of one event does not suppress lines of other events and outcomes', (t) => {
  const { lines, written } = limited(t, { max: 1, perSecond: 1 })
  const wrong = { security: 'sign-in', outcome: 'wrong' }
  const otherEvents = [
    { security: 'sign-in', outcome: 'right' },
    { security: 'client-refused', outcome: 'no secret' },
  ]
  for (let count = 1; count <= 5; count += 1) lines.info(wrong, 'A security event.')
  for (const event of otherEvents) lines.info(event, 'A security event.')
  assert.deepEqual(written, [wrong, ...otherEvents])
})
