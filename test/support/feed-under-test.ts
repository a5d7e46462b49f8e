import { openCommandClient } from '../../clients/typescript/src/commands.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { openCommandCalls } from './command-calls.ts'
import { type Person, startCommandsUnderTest } from './command-host.ts'

export type FeedUnderTest = Awaited<ReturnType<typeof startFeedUnderTest>>

/** A host of commands that gives a slow reader of a stream 1.5 seconds, with clients of its administrator. */
export async function startFeedUnderTest() {
  const budgets = openBudgets()
  const host = await startCommandsUnderTest({}, { budgets, takeMilliseconds: 1500 })
  const { token } = host.administrator
  const calls = openCommandCalls(host.target)
  const client = openCommandClient({ target: host.target, token })
  return {
    budgets,
    host,
    token,
    calls,
    client,
    now: async () => (await client.readChanges({ after: 'now' })).result?.cursor ?? '',
    /** Makes an impediment with this name, and returns its id. */
    named: async (name: string) => (await client.createImpediment({ name })).impediment?.id ?? '',
    openStreams: (person: Person) => budgets.budget('liveListingsOfAccount').used(person.id),
    async stop() {
      client.close()
      calls.close()
      await host.stop()
    },
  }
}
