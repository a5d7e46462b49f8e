import type { TestContext } from 'node:test'
import { type BudgetName, openBudgets } from '../../src/config/budgets.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { type FrameConnection, frameTypes, openFrames, opening } from '../support/http2-frames.ts'
import { until } from '../support/until.ts'

/** Loopback has all of 127.0.0.0/8, so one machine can be several clients. */
export const otherAddress = '127.0.0.2'

/** A host whose rates use a stopped clock. */
export async function hostOnAClock(
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
