import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { repeat } from './repeat.ts'

const everyMilliseconds = 2

describe('Repeated work', () => {
  it('runs again after a failure, one run at a time', async () => {
    // `repeat` does not keep the process alive, so the process would end during the test without this timer.
    const keepAlive = setInterval(() => undefined, 1000)
    let [runs, running, runningMax] = [0, 0, 0]
    const enough = Promise.withResolvers<void>()
    const work = async () => {
      runs += 1
      running += 1
      runningMax = Math.max(runningMax, running)
      if (runs === 3) enough.resolve()
      await new Promise((resolve) => setTimeout(resolve, 3 * everyMilliseconds))
      running -= 1
      if (runs === 1) throw new Error('The store is away.')
    }
    const failures: unknown[] = []
    const repetition = repeat({ everyMilliseconds, onFailure: (error) => failures.push(error) }, work)
    await enough.promise
    await repetition.stop()
    assert.deepEqual([running, runningMax], [0, 1])
    assert.deepEqual(failures.map(String), ['Error: The store is away.'])
    const runsAtStop = runs
    await new Promise((resolve) => setTimeout(resolve, 3 * everyMilliseconds))
    assert.equal(runs, runsAtStop)
    clearInterval(keepAlive)
  })

  it('runs again after a synchronous failure', async () => {
    const keepAlive = setInterval(() => undefined, 1000)
    const failedTwice = Promise.withResolvers<void>()
    const failures: unknown[] = []
    const onFailure = (error: unknown) => {
      failures.push(error)
      if (failures.length === 2) failedTwice.resolve()
    }
    const repetition = repeat({ everyMilliseconds, onFailure }, () => {
      throw new Error('The store is away.')
    })
    const deadline = setTimeout(() => failedTwice.reject(new Error('The work did not run again.')), 5000)
    await failedTwice.promise.finally(() => {
      clearTimeout(deadline)
      clearInterval(keepAlive)
      return repetition.stop()
    })
  })
})
