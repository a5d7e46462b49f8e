import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type BudgetName, openBudgets } from '../../src/config/budgets.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { type FrameConnection, frameTypes, openFrames, opening } from '../support/http2-frames.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { until } from '../support/until.ts'

export const listOrganizations = '/tracker.commands.v1.Commands/ListOrganizations'
export const createOrganization = '/tracker.commands.v1.Commands/CreateOrganization'

/** The message of a list command with an empty Pagination. */
export const listMessage = Buffer.from([0x0a, 0x00])

/** Asserts that a new connection is served promptly, as it must be after any attack. */
export async function assertServes(host: Pick<CommandsUnderTest, 'target' | 'administrator'>): Promise<void> {
  const raw = openRawCalls(host.target)
  const startedAt = performance.now()
  const { status, message } = await raw.send(
    grpcHeaders(listOrganizations, host.administrator.token),
    framed(listMessage),
  )
  raw.close()
  assert.deepEqual([status, message], [0, 'OK'])
  const milliseconds = performance.now() - startedAt
  assert.ok(milliseconds < answerMillisecondsMax, `A valid call took ${milliseconds} ms.`)
}

/** A call takes milliseconds on a quiet machine and seconds on a busy machine. An attack lasts a minute. */
const answerMillisecondsMax = 15_000

/** All of 127.0.0.0/8 is loopback, so that one machine can stand for several clients. */
export const otherAddress = '127.0.0.2'

/** Starts a host whose rates use a clock that only `pass` advances. */
export async function startHostOnClock(
  t: TestContext,
  maxima: Partial<Record<BudgetName, number>>,
  environment: Readonly<Record<string, string>> = {},
) {
  let milliseconds = 0
  const budgets = openBudgets(maxima, () => milliseconds)
  const host = await startCommandsUnderTest(environment, { budgets })
  t.after(host.stop)
  const open = (localAddress?: string) => {
    const connection = openFrames(host.target, localAddress)
    t.after(connection.close)
    connection.send(opening)
    return connection
  }
  const isServed = (connection: FrameConnection) =>
    connection.received().some(({ type }) => type === frameTypes.settings)
  return {
    host,
    budgets,
    open,
    isServed,
    async openServed(localAddress?: string) {
      const connection = open(localAddress)
      await until(() => isServed(connection), 'settings of the host')
      return connection
    },
    pass(seconds: number) {
      milliseconds += seconds * 1000
    },
  }
}
