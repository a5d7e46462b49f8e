import assert from 'node:assert/strict'
import type { CommandsUnderTest } from '../support/command-host.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'

export const listOrganizations = '/tracker.commands.v1.Commands/ListOrganizations'
export const createOrganization = '/tracker.commands.v1.Commands/CreateOrganization'

/** A list with the Pagination object, and nothing in it. */
export const goodList = Buffer.from([0x0a, 0x00])

/** After any attack, a new connection gets its answer at once. */
export async function assertServes(host: Pick<CommandsUnderTest, 'target' | 'administrator'>): Promise<void> {
  const raw = openRawCalls(host.target)
  const startedAt = performance.now()
  const { status, message } = await raw.send(
    grpcHeaders(listOrganizations, host.administrator.token),
    framed(goodList),
  )
  raw.close()
  assert.deepEqual([status, message], [0, 'OK'])
  const milliseconds = performance.now() - startedAt
  assert.ok(milliseconds < answerMillisecondsMax, `A good call took ${milliseconds} ms.`)
}

/** A call takes milliseconds on a quiet machine and seconds on a very busy one; an attack that holds calls up lasts a minute. */
const answerMillisecondsMax = 15_000
