import { deepStrictEqual, equal } from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRateLimiter, type RateLimits } from './rate-limiter.ts'
import { manualClock } from './testing/manual-clock.ts'

function limiterOf(limits: Partial<RateLimits>) {
  const manual = manualClock()
  const limiter = createRateLimiter({ permitLimit: 3, queueLimit: 2, clock: manual.clock, ...limits })
  const admitted: string[] = []
  const acquire = (address: string, name = address) =>
    limiter.acquire(address, () => void admitted.push(name))
  const kinds = (address: string, count: number) =>
    Array.from({ length: count }, (_, index) => acquire(address, `${address}${index}`).kind)
  return { ...manual, limiter, admitted, acquire, kinds }
}

describe('the rate limiter', () => {
  it('admits requests up to the limit, lets a few more wait and rejects all others', () => {
    const { kinds } = limiterOf({})
    deepStrictEqual(kinds('a', 6), ['admitted', 'admitted', 'admitted', 'waiting', 'waiting', 'rejected'])
  })

  it('admits 300 requests and lets 20 wait with the numbers of the contract', () => {
    const { kinds } = limiterOf({ permitLimit: 300, queueLimit: 20 })
    const counts = Object.groupBy(kinds('a', 330), (kind) => kind)
    deepStrictEqual([counts.admitted?.length, counts.waiting?.length, counts.rejected?.length], [300, 20, 10])
  })

  it('counts each address separately', () => {
    const { kinds } = limiterOf({})
    kinds('a', 6)
    deepStrictEqual(kinds('b', 1), ['admitted'])
  })

  it('returns the remaining seconds of the window, rounded up', () => {
    const { kinds, acquire, advance } = limiterOf({})
    kinds('a', 5)
    advance(20_500)
    deepStrictEqual(acquire('a'), { kind: 'rejected', retryAfterSeconds: 40 })
    advance(39_499)
    deepStrictEqual(acquire('a'), { kind: 'rejected', retryAfterSeconds: 1 })
  })

  it('admits waiting requests first in the next window', () => {
    const { kinds, admitted, advance } = limiterOf({})
    kinds('a', 5)
    advance(59_999)
    deepStrictEqual(admitted, [])
    advance(1)
    deepStrictEqual(admitted, ['a3', 'a4'])
    deepStrictEqual(kinds('a', 2), ['admitted', 'waiting'])
  })

  it('admits no more than a window holds when the queue is longer', () => {
    const { kinds, admitted, advance } = limiterOf({ permitLimit: 2, queueLimit: 5 })
    kinds('a', 7)
    advance(60_000)
    deepStrictEqual(admitted, ['a2', 'a3'])
    advance(60_000)
    deepStrictEqual(admitted, ['a2', 'a3', 'a4', 'a5'])
  })

  it('opens a new window with the first request after the old one', () => {
    const { kinds, acquire, advance } = limiterOf({ queueLimit: 0 })
    kinds('a', 3)
    advance(60_000)
    advance(10_000)
    kinds('a', 3)
    deepStrictEqual(acquire('a'), { kind: 'rejected', retryAfterSeconds: 60 })
  })

  it('gives the place of a disconnected client to another client', () => {
    const { kinds, admitted, acquire, advance } = limiterOf({ queueLimit: 1 })
    kinds('a', 3)
    const canceled = acquire('a', 'canceled')
    if (canceled.kind === 'waiting') canceled.cancel()
    equal(acquire('a', 'next').kind, 'waiting')
    advance(60_000)
    deepStrictEqual(admitted, ['next'])
  })

  it('keeps no data of addresses whose window has ended', () => {
    const { kinds, advance, timerCount } = limiterOf({})
    for (let index = 0; index < 1000; index += 1) kinds(`a${index}`, 1)
    equal(timerCount(), 1)
    advance(60_000)
    equal(timerCount(), 0)
  })

  it('drops the oldest addresses when there are too many', () => {
    const { kinds, admitted } = limiterOf({ trackedAddressesMax: 16, permitLimit: 1 })
    deepStrictEqual(kinds('old', 2), ['admitted', 'waiting'])
    for (let index = 0; index < 16; index += 1) kinds(`a${index}`, 1)
    deepStrictEqual(admitted, ['old1'])
    deepStrictEqual(kinds('a15', 1), ['waiting'])
    deepStrictEqual(kinds('old', 1), ['admitted'])
  })

  it('admits all waiting requests when the host closes', () => {
    const { kinds, admitted, limiter, timerCount } = limiterOf({})
    kinds('a', 5)
    limiter.close()
    deepStrictEqual(admitted, ['a3', 'a4'])
    deepStrictEqual(
      kinds('a', 9),
      Array.from({ length: 9 }, () => 'admitted'),
    )
    equal(timerCount(), 0)
  })

  it('is off with a limit of 0', () => {
    deepStrictEqual(new Set(limiterOf({ permitLimit: 0 }).kinds('a', 1000)), new Set(['admitted']))
  })
})
