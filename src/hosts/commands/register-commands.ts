import {
  Metadata,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { type Authenticated, requireActiveSession } from '../../auth/authenticate.ts'
import { startWork } from '../../db/work.ts'
import type { FeedStreams, FeedTransport } from '../../features/changes/feed-streams.ts'
import type { Caller } from '../../model/caller.ts'
import { overloaded, Problem, unauthenticated } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { CallAbandonedError, problemOutcomes } from './call-error.ts'
import type { CallLog, RequestIds } from './call-log.ts'
import { type Command, isStream, type StreamCommand, type UnaryCommand } from './commands.ts'
import { messagePack } from './dotnet/message-pack.ts'
import { type Content, type Encoding, serviceNameOf } from './message.ts'
import { protobuf } from './protobuf/protobuf.ts'

export interface Registration extends FeedHandlerOptions {
  readonly commands: readonly Command[]
  readonly context: Context
  readonly dotnetNamespace: string
}

/**
 * Registers every command on each of its paths. The library gets bytes, because the path determines the
 * encoding.
 */
export function registerCommands(server: Server, registration: Registration): void {
  for (const command of registration.commands) {
    for (const { path, encoding } of pathsOf(command, registration.dotnetNamespace)) {
      if (isStream(command))
        server.register(
          path,
          feedHandlerOf(registration, command, encoding),
          identity,
          identity,
          'serverStream',
        )
      else server.register(path, unaryHandlerOf(registration, command, encoding), identity, identity, 'unary')
    }
  }
}

type Call = ServerUnaryCall<Buffer, Buffer>

/** Leaves the bytes to the encoding of the path. */
const identity = (bytes: Buffer): Buffer => bytes

function unaryHandlerOf(registration: Registration, command: UnaryCommand, encoding: Encoding) {
  const respond = createResponder(registration, command, encoding)
  const { callLog, requestIds, sessionOf } = registration
  return (call: Call, reply: sendUnaryData<Buffer>): void => {
    const startedAt = performance.now()
    const session = sessionOf(call.metadata)
    const { caller } = session
    const loggedCall = { command: command.name, requestId: requestIds.of(call.metadata), caller }
    const end = (code: status) =>
      callLog.recordEnd(loggedCall, isAbandoned(call) ? abandonedStatus(call) : code, startedAt)
    respond(call, session).then(
      (bytes) => {
        end(status.OK)
        reply(null, bytes)
      },
      (error: unknown) => {
        const problem = callLog.recordFailure(loggedCall, error)
        end(problem.code)
        reply(problem)
      },
    )
  }
}

function createResponder({ context }: Registration, command: UnaryCommand, encoding: Encoding) {
  const read = encoding.reader(command.request)
  const write = encoding.writer(command.result)
  const { complete } = context.database
  return async (call: Call, session: Authenticated): Promise<Buffer> => {
    const request = read(call.request)
    // The work would be wasted if the caller has cancelled or timed out.
    if (isAbandoned(call)) throw new CallAbandonedError(abandonedStatus(call))
    const work = startWork(command.name, 'commands', call.metadata.get('traceparent')[0])
    work.holder = session.caller.id
    return write(
      await complete(work, async () => {
        // Changed credentials outlast the session, so the session is checked again, as over REST.
        if (!command.changesAccounts) return runCommand(context, command, session.caller, request)
        if (!(await session.isActiveNow())) throw unauthenticated()
        const checkedContext = { ...context, database: requireActiveSession(context.database, session) }
        return runCommand(checkedContext, command, session.caller, request)
      }),
    )
  }
}

const isAbandoned = (call: Call): boolean => call.cancelled || hasDeadlinePassed(call)

// The library notices a deadline only when its timer runs. The request may have been read before.
const hasDeadlinePassed = (call: Pick<Call, 'getDeadline'>): boolean =>
  Number(call.getDeadline()) <= Date.now()

const abandonedStatus = (call: Pick<Call, 'getDeadline'>): status =>
  hasDeadlinePassed(call) ? status.DEADLINE_EXCEEDED : status.CANCELLED

/** Runs one command. A missing row and a stale version are results. All other errors are rethrown. */
async function runCommand(
  context: Context,
  command: UnaryCommand,
  caller: Caller,
  request: Content,
): Promise<Content> {
  try {
    const content = await command.run(context, caller, request)
    return { success: true, message: command.successMessage, ...content }
  } catch (error) {
    if (error instanceof Problem && problemOutcomes[error.kind] === 'failedResult') {
      return { success: false, message: error.message }
    }
    throw error
  }
}

export interface CommandPath {
  readonly path: string
  readonly encoding: Encoding
}

/** Returns the paths of a command, each with its encoding. */
export const pathsOf = (
  { edition, entity, name, request }: Command,
  dotnetNamespace: string,
): CommandPath[] => [
  { path: `/${serviceNameOf(edition)}/${name}`, encoding: protobuf },
  // The .NET clients leave the name of the method empty.
  { path: `/${dotnetNamespace}.${entity}.${request.name}/`, encoding: messagePack },
  { path: `/${dotnetNamespace}.${entity}.${request.name}`, encoding: messagePack },
]

/** Returns a function that maps a path to the name of its command. */
export function commandNames(commands: readonly Command[], dotnetNamespace: string) {
  const names = new Map(
    commands.flatMap((command) =>
      pathsOf(command, dotnetNamespace).map(({ path }) => [path, command.name] as const),
    ),
  )
  return (path: string): string | undefined => names.get(path)
}

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
      if (error === undefined) return callLog.recordEnd(loggedCall, abandonedStatus(call), startedAt)
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

type FeedCall = ServerWritableStream<Buffer, Buffer>

interface FeedCallOptions {
  readonly write: (content: Content) => Buffer
  /** The longest time a client may leave a stream unread. */
  readonly unreadStreamMilliseconds: number
  /** Called exactly once. Without an argument if the client cancelled. */
  readonly onEnd: (problem?: Problem) => void
}

/** A stream with this many unread bytes waits for its reader. It is several times the largest record. */
const unreadBytesMax = 64 * 1024

/** Sends the events of a feed as the messages of one call. */
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
