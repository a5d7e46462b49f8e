import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js'
import type { Authenticated } from '../../auth/authenticate.ts'
import type { FeedStreams, FeedTransport } from '../../features/changes/feed-streams.ts'
import { overloaded, Problem } from '../../model/problem.ts'
import type { CallLog, RequestIds } from './call-log.ts'
import type { StreamCommand } from './commands.ts'
import type { Content, Encoding } from './message.ts'

export interface FeedHandlerOptions {
  readonly feeds: FeedStreams
  readonly callLog: CallLog
  readonly requestIds: RequestIds
  /** The longest time a client may leave a stream unread. */
  readonly unreadStreamMilliseconds: number
  sessionOf(metadata: FeedCall['metadata']): Authenticated
}

/** Handles the calls of a command that responds with a stream. */
export function feedHandlerOf(
  { feeds, sessionOf, callLog, requestIds, unreadStreamMilliseconds }: FeedHandlerOptions,
  command: StreamCommand,
  encoding: Encoding,
) {
  const read = encoding.reader(command.request)
  const write = encoding.writer(command.result)
  return (call: FeedCall): void => {
    const startedAt = performance.now()
    const session = sessionOf(call.metadata)
    const { caller } = session
    const loggedCall = { command: command.name, requestId: requestIds.of(call.metadata), caller }
    const end = (error?: unknown) => {
      if (error === undefined) return callLog.recordEnd(loggedCall, goneStatus(call), startedAt)
      const problem = callLog.recordFailure(loggedCall, error)
      callLog.recordEnd(loggedCall, problem.code, startedAt)
      // The library ends the call with the status of such an error, after the messages in flight.
      call.emit('error', Object.assign(new Error(problem.details), problem))
    }
    const openFeed = async () => {
      const transport = feedTransportOf(call, { write, unreadStreamMilliseconds, onEnd: end })
      await feeds.open(command.parseFeed(read(call.request)), session, transport)
    }
    openFeed().catch(end)
  }
}

const goneStatus = (call: FeedCall): status =>
  Number(call.getDeadline()) <= Date.now() ? status.DEADLINE_EXCEEDED : status.CANCELLED

type FeedCall = ServerWritableStream<Buffer, Buffer>

interface FeedCallOptions {
  readonly write: (content: Content) => Buffer
  /** The longest time a client may leave a stream unread. */
  readonly unreadStreamMilliseconds: number
  /** Called exactly once; without an argument if the client cancelled. */
  readonly onEnd: (problem?: Problem) => void
}

/** Unread bytes beyond which a stream waits for its reader: several times the largest record. */
const unreadBytesMax = 64 * 1024

/** The feed as the messages of one call. */
const feedTransportOf = (
  call: FeedCall,
  { write, unreadStreamMilliseconds, onEnd }: FeedCallOptions,
): FeedTransport => ({
  eventOf: (change, cursor) => write({ change, cursor }),
  open({ onReady, onClose }) {
    let isClosed = false
    let hasSkippedEvent = false
    let unreadBytes = 0
    let unreadTimer: NodeJS.Timeout | undefined
    const close = (problem?: Problem) => {
      if (isClosed) return
      isClosed = true
      clearTimeout(unreadTimer)
      onClose()
      onEnd(problem)
    }
    const restartUnreadTimer = () => {
      clearTimeout(unreadTimer)
      if (unreadBytes > 0 && !isClosed)
        unreadTimer = setTimeout(
          () => close(readTooSlowly(unreadStreamMilliseconds)),
          unreadStreamMilliseconds,
        )
    }
    const send = (message: Buffer) => {
      if (isClosed) return
      unreadBytes += message.length
      if (unreadBytes === message.length) restartUnreadTimer()
      call.write(message, () => {
        unreadBytes -= message.length
        restartUnreadTimer()
        if (isClosed || !hasSkippedEvent || unreadBytes >= unreadBytesMax) return
        hasSkippedEvent = false
        onReady()
      })
    }
    call.once('cancelled', () => close())
    // The client may have cancelled while the first page was read.
    if (call.cancelled) queueMicrotask(() => close())
    // The headers confirm the stream before the first change.
    else call.sendMetadata(new Metadata())
    return {
      send(event) {
        hasSkippedEvent = unreadBytes >= unreadBytesMax
        if (!hasSkippedEvent) send(event)
        return !hasSkippedEvent
      },
      sendHeartbeat: (cursor) => send(write({ cursor })),
      close,
      closeForShutdown: () => close(hostStops()),
    }
  },
})

const readTooSlowly = (milliseconds: number) =>
  new Problem(
    'busy',
    `The stream was not read for ${milliseconds / 1000} seconds. Continue after the last cursor.`,
    { retryAfterSeconds: 1 },
  )

const hostStops = () => overloaded('The host stops.', { retryAfterSeconds: 1 })
