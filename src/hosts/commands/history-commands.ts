import { readFeedPage, readFeedQuery } from '../../features/changes/read-feed.ts'
import { listHistory } from '../../features/history/history.ts'
import type { Command, StreamCommand, UnaryCommand } from './commands.ts'
import { followChangesMessages, readChangesMessages, readHistoryMessages } from './history-messages.ts'

const common = { edition: 'ext', entity: 'History' } as const

const readHistoryCommand: UnaryCommand = {
  ...common,
  ...readHistoryMessages,
  successMessage: 'History retrieved successfully.',
  run: async (tracker, caller, request) => ({ result: await listHistory(tracker, caller, request) }),
}

const readChanges: UnaryCommand = {
  ...common,
  ...readChangesMessages,
  successMessage: 'Changes retrieved successfully.',
  run: async (tracker, caller, request) => ({
    result: await readFeedPage(tracker, caller, readFeedQuery(request)),
  }),
}

const followChanges: StreamCommand = {
  ...common,
  ...followChangesMessages,
  follow: (request) => readFeedQuery(request),
}

/** Commands that return the same as `/ext/history` and `/ext/changes`. */
export const historyCommands: readonly Command[] = [readHistoryCommand, readChanges, followChanges]
