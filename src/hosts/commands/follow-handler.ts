import { status } from '@grpc/grpc-js'
import type { Authenticated } from '../../authentication/authenticate.ts'
import type { FeedStreams } from '../../live/feed-streams.ts'
import type { CallLog } from './call-log.ts'
import type { StreamCommand } from './commands.ts'
import { type FeedCall, feedCall } from './feed-call.ts'
import type { Encoding } from './message.ts'
import type { RequestIds } from './request-ids.ts'

export interface Following {
  readonly feeds: FeedStreams
  readonly callLog: CallLog
  readonly requestIds: RequestIds
  /** How long a client may take nothing of what was sent. */
  readonly takeMilliseconds: number
  sessionOf(metadata: FeedCall['metadata']): Authenticated
}

/** What handles the calls of a command that answers with a stream. */
export function followHandlerOf(
  { feeds, sessionOf, callLog, requestIds, takeMilliseconds }: Following,
  command: StreamCommand,
  encoding: Encoding,
) {
  const read = encoding.reader(command.request)
  const write = encoding.writer(command.result)
  return (call: FeedCall): void => {
    const startedAt = performance.now()
    const named = { command: command.name, requestId: requestIds.of(call.metadata) }
    const end = (error?: unknown) => {
      if (error === undefined) return callLog.noteEnd(named, goneStatus(call), startedAt)
      const refusal = callLog.refusalOf(named, error)
      callLog.noteEnd(named, refusal.code, startedAt)
      // The library ends the call with what such an error says, behind the messages that are under way.
      call.emit('error', Object.assign(new Error(refusal.details), refusal))
    }
    const begin = async () => {
      const wire = feedCall(call, { write, takeMilliseconds, onEnd: end })
      await feeds.open(command.follow(read(call.request)), sessionOf(call.metadata), wire)
    }
    begin().catch(end)
  }
}

const goneStatus = (call: FeedCall): status =>
  Number(call.getDeadline()) <= Date.now() ? status.DEADLINE_EXCEEDED : status.CANCELLED
