import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js'
import type { Authenticated } from '../../auth/authenticate.ts'
import type { FeedStreams, FeedWire } from '../../features/changes/feed-streams.ts'
import { overloaded, Problem } from '../../model/problem.ts'
import type { CallLog, RequestIds } from './call-log.ts'
import type { StreamCommand } from './commands.ts'
import type { Content, Encoding } from './message.ts'

export interface Following {
  readonly feeds: FeedStreams
  readonly callLog: CallLog
  readonly requestIds: RequestIds
  /** The longest time a client may leave a stream unread. */
  readonly takeMilliseconds: number
  sessionOf(metadata: FeedCall['metadata']): Authenticated
}

/** Handles the calls of a command that responds with a stream. */
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
      if (error === undefined) return callLog.recordEnd(named, goneStatus(call), startedAt)
      const problem = callLog.rejectionOf(named, error)
      callLog.recordEnd(named, problem.code, startedAt)
      // The library ends the call with the status of such an error, after the messages in flight.
      call.emit('error', Object.assign(new Error(problem.details), problem))
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

type FeedCall = ServerWritableStream<Buffer, Buffer>

interface FeedCallOptions {
  readonly write: (content: Content) => Buffer
  /** The longest time a client may leave a stream unread. */
  readonly takeMilliseconds: number
  /** Called exactly once; without an argument if the client cancelled. */
  readonly onEnd: (problem?: Problem) => void
}

/** Unread bytes beyond which a stream waits for its reader: several times the largest record. */
const untakenBytesMax = 64 * 1024

/** The feed as the messages of one call. */
const feedCall = (call: FeedCall, { write, takeMilliseconds, onEnd }: FeedCallOptions): FeedWire => ({
  eventOf: (change, cursor) => write({ change, cursor }),
  open({ onReady, onClose }) {
    let isClosed = false
    let isNewerWanted = false
    let untakenBytes = 0
    let patience: NodeJS.Timeout | undefined
    const close = (problem?: Problem) => {
      if (isClosed) return
      isClosed = true
      clearTimeout(patience)
      onClose()
      onEnd(problem)
    }
    const waitForReader = () => {
      clearTimeout(patience)
      if (untakenBytes > 0 && !isClosed)
        patience = setTimeout(() => close(tooSlow(takeMilliseconds)), takeMilliseconds)
    }
    const send = (message: Buffer) => {
      if (isClosed) return
      untakenBytes += message.length
      if (untakenBytes === message.length) waitForReader()
      call.write(message, () => {
        untakenBytes -= message.length
        waitForReader()
        if (isClosed || !isNewerWanted || untakenBytes >= untakenBytesMax) return
        isNewerWanted = false
        onReady()
      })
    }
    call.once('cancelled', () => close())
    // The call was cancelled while its first page was read.
    if (call.cancelled) queueMicrotask(() => close())
    // Confirms the stream before the first change.
    else call.sendMetadata(new Metadata())
    return {
      send(event) {
        isNewerWanted = untakenBytes >= untakenBytesMax
        if (!isNewerWanted) send(event)
        return !isNewerWanted
      },
      beat: (cursor) => send(write({ cursor })),
      close,
      sendAway: () => close(stops()),
    }
  },
})

const tooSlow = (milliseconds: number) =>
  new Problem(
    'busy',
    `What was sent was not taken for ${milliseconds / 1000} seconds. Go on behind the last cursor.`,
    { retryAfterSeconds: 1 },
  )

const stops = () => overloaded('The host stops.', { retryAfterSeconds: 1 })
