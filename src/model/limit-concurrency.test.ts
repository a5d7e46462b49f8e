import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBudget } from './budget.ts'
import { limitConcurrency, oneAtATime } from './limit-concurrency.ts'
import { Problem } from './problem.ts'

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

test('one task runs at a time for each key, and tasks of other keys do not wait', async () => {
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
