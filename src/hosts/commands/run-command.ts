import type { Caller } from '../../model/caller.ts'
import { Problem } from '../../model/problem.ts'
import type { Tracker } from '../../operations/tracker.ts'
import type { UnaryCommand } from './commands.ts'
import type { Content } from './message.ts'
import { statuses } from './statuses.ts'

/** Runs one command. A missing row and a stale version are results; every other refusal is thrown on. */
export async function runCommand(
  tracker: Tracker,
  command: UnaryCommand,
  caller: Caller,
  request: Content,
): Promise<Content> {
  try {
    const found = await command.run(tracker, caller, request)
    return { success: true, message: command.successMessage, ...found }
  } catch (error) {
    if (error instanceof Problem && statuses[error.kind] === 'failedResult') {
      return { success: false, message: error.message }
    }
    throw error
  }
}
