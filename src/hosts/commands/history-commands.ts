import { parseFeedQuery, readFeedPage } from '../../features/changes/read-feed.ts'
import { listHistory } from '../../features/history/history.ts'
import type { Command, StreamCommand, UnaryCommand } from './commands.ts'
import { followChangesMessages, readChangesMessages, readHistoryMessages } from './history-messages.ts'

const common = { edition: 'ext', entity: 'History' } as const

const readHistoryCommand: UnaryCommand = {
  ...common,
  ...readHistoryMessages,
  successMessage: 'History retrieved successfully.',
  run: async (context, caller, request) => ({ result: await listHistory(context, caller, request) }),
}

const readChanges: UnaryCommand = {
  ...common,
  ...readChangesMessages,
  successMessage: 'Changes retrieved successfully.',
  run: async (context, caller, request) => ({
    result: await readFeedPage(context, caller, parseFeedQuery(request)),
  }),
}

const followChanges: StreamCommand = {
  ...common,
  ...followChangesMessages,
  parseFeed: (request) => parseFeedQuery(request),
}

/** Commands that return the same as `/ext/history` and `/ext/changes`. */
export const historyCommands: readonly Command[] = [readHistoryCommand, readChanges, followChanges]
