import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { fuzzed } from '../../../test/support/fuzz.ts'
import { closeDelayMilliseconds } from '../../http/broken-requests.ts'
import { anyExchange, splitAnywhere } from './testing/any-exchange.ts'
import { type Interpretation, observe } from './testing/observe.ts'
import {
  type ConnectionEnd,
  type Reference,
  type Running,
  startObservedBank,
  startReference,
} from './testing/reference-server.ts'

interface AllowedDifference {
  readonly reason: string
  readonly ending: ConnectionEnd
  /** Returns whether the bank may behave like `ours` if the reference behaves like `theirs`. */
  accepts(ours: Interpretation, theirs: Interpretation): boolean
}

/**
 * Behaviour determined by the bytes alone is identical. These differences depend on which bytes arrive
 * together.
 */
const allowedDifferences: readonly AllowedDifference[] = [
  {
    reason:
      'A broken body ends the connection: with the response that was already sent, with 400, or with both.',
    ending: 'broken body',
    accepts(ours, theirs) {
      const [before, last] = [theirs.statuses.slice(0, -1), theirs.statuses.slice(-1)]
      return [last, [400], [...last, 400]].some((end) =>
        isDeepStrictEqual(ours, { ...theirs, statuses: [...before, ...end] }),
      )
    },
  },
  {
    reason: 'node:http drops the bytes that arrive together with a request for an upgrade.',
    ending: 'Upgrade',
    accepts: () => true,
  },
]

const probe = Buffer.from('GET /healthz HTTP/1.1\r\nHost: bank\r\n\r\n')

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

/** Generates the places at which the bytes are split. Often there are none, and everything arrives in one piece. */
const anySplits = fc.oneof(fc.constant([]), fc.array(fraction, { maxLength: 4 }))

describe('the bank interprets any bytes as node:http does', () => {
  let bank: Running
  let reference: Reference
  before(async () => {
    bank = await startObservedBank()
    reference = await startReference()
  })
  after(() => Promise.all([bank.stop(), reference.stop()]))

  function assertSame(ours: Interpretation, theirs: Interpretation, endings: readonly ConnectionEnd[]) {
    const isAllowed = allowedDifferences.some(
      ({ ending, accepts }) => endings.includes(ending) && accepts(ours, theirs),
    )
    if (!isAllowed) assert.deepEqual(ours, theirs)
  }

  test('whether they arrive in one piece or in many', async () => {
    let differing = 0
    let total = 0
    await fc.assert(
      fc.asyncProperty(anyExchange(), anySplits, async (messages, splits) => {
        const endingsBefore = reference.connectionEnds.length
        const theirs = await observe(reference, [...messages, probe])
        const startedAt = performance.now()
        const ours = await observe(bank, [...splitAnywhere(Buffer.concat(messages), splits), probe])
        // A connection with the rest of a rejected body is cut after this time, which only a stalled machine
        // reaches.
        fc.pre(performance.now() - startedAt < closeDelayMilliseconds / 2)
        assertSame(ours, theirs, reference.connectionEnds.slice(endingsBefore))
        total += 1
        differing += Number(!isDeepStrictEqual(ours, theirs))
      }),
      fuzzed({ runs: 1000 }),
    )
    assert.ok(differing < total / 20, `${differing} of ${total} differ`)
  })
})
