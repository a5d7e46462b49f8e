import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { openBudgets } from '../../src/config/budgets.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { goodList, listOrganizations } from './assert-serves.ts'

const kibibyte = 1024

describe('When the requests that wait have used up the bytes of the process,', () => {
  const budgets = openBudgets({ commandBytes: 100 * kibibyte })
  let host: CommandsUnderTest
  before(async () => {
    host = await startCommandsUnderTest({}, { budgets })
  })
  after(() => host.stop())

  test('the largest one that still arrives yields to a small one of another account', async (t) => {
    const [hoarder, other] = [await host.signUp(), await host.signUp()]
    const [large, small] = [openRawCalls(host.target), openRawCalls(host.target)]
    t.after(() => [large, small].map((raw) => raw.close()))
    const unfinished = framed(Buffer.alloc(100 * kibibyte - 100)).subarray(0, 100 * kibibyte - 200)
    const waiting = large.send(grpcHeaders(listOrganizations, hoarder.token), unfinished, false)
    while (budgets.budget('commandBytes').used() < unfinished.length)
      await new Promise((resolve) => setTimeout(resolve, 5))
    // A few hundred bytes are more than what is left.
    const search = Buffer.concat([Buffer.from([0x1a, 0xac, 0x02]), Buffer.alloc(300, 'x')])
    const answered = await small.send(grpcHeaders(listOrganizations, other.token), framed(search))
    assert.notEqual(answered.status, status.RESOURCE_EXHAUSTED)
    const refused = await waiting
    assert.equal(refused.status, status.RESOURCE_EXHAUSTED)
    assert.equal(refused.message, 'Too many bytes of requests wait here. Try again later.')
  })

  test('one that is larger than all others is itself rejected, and everything is released', async (t) => {
    const raw = openRawCalls(host.target)
    t.after(raw.close)
    const { token } = host.administrator
    const refused = await raw.send(
      grpcHeaders(listOrganizations, token),
      framed(Buffer.alloc(200 * kibibyte)),
    )
    assert.equal(refused.status, status.RESOURCE_EXHAUSTED)
    assert.equal((await raw.send(grpcHeaders(listOrganizations, token), framed(goodList))).status, status.OK)
    while (budgets.budget('commandBytes').used() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  })
})
