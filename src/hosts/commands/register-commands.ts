import { type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js'
import type { Authenticated } from '../../auth/authenticate.ts'
import { requireActiveSession } from '../../auth/authenticate.ts'
import { startWork } from '../../db/work.ts'
import type { Caller } from '../../model/caller.ts'
import { Problem, unauthenticated } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { CallGoneError, statuses } from './call-error.ts'
import { type Command, isStream, type UnaryCommand } from './commands.ts'
import { messagePack } from './dotnet/message-pack.ts'
import { type FeedHandlerOptions, feedHandlerOf } from './feed-call.ts'
import type { Content, Encoding } from './message.ts'
import { protobuf } from './protobuf/protobuf.ts'
import { serviceNameOf } from './protobuf/service.ts'

export interface Registration extends FeedHandlerOptions {
  readonly commands: readonly Command[]
  readonly context: Context
  readonly dotnetNamespace: string
}

/** Registers every command on each of its paths; messages pass as bytes, because the path decides how they are decoded. */
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
      callLog.recordEnd(loggedCall, isGone(call) ? goneStatus(call) : code, startedAt)
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
    // A caller that has cancelled or timed out gets nothing from the work.
    if (isGone(call)) throw new CallGoneError(goneStatus(call))
    const work = startWork(command.name, 'commands', call.metadata.get('traceparent')[0])
    work.holder = session.caller.id
    return write(
      await complete(work, async () => {
        // Changes of credentials outlast the session, so they check it again, as over REST.
        if (!command.changesAccounts) return runCommand(context, command, session.caller, request)
        if (!(await session.isActiveNow())) throw unauthenticated()
        const checkedContext = { ...context, database: requireActiveSession(context.database, session) }
        return runCommand(checkedContext, command, session.caller, request)
      }),
    )
  }
}

const isGone = (call: Call): boolean => call.cancelled || hasDeadlinePassed(call)

// The library notices only when its timer runs, which may be after the request was read.
const hasDeadlinePassed = (call: Call): boolean => Number(call.getDeadline()) <= Date.now()

const goneStatus = (call: Call): status =>
  hasDeadlinePassed(call) ? status.DEADLINE_EXCEEDED : status.CANCELLED

/** Runs one command. A missing row and a stale version are results; every other error is rethrown. */
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
    if (error instanceof Problem && statuses[error.kind] === 'failedResult') {
      return { success: false, message: error.message }
    }
    throw error
  }
}

export interface CommandPath {
  readonly path: string
  readonly encoding: Encoding
}

/** The paths of one command: each determines the encoding of its messages. */
export const pathsOf = (
  { edition, entity, name, request }: Command,
  dotnetNamespace: string,
): CommandPath[] => [
  { path: `/${serviceNameOf(edition)}/${name}`, encoding: protobuf },
  // The .NET clients leave the name of the method empty.
  { path: `/${dotnetNamespace}.${entity}.${request.name}/`, encoding: messagePack },
  { path: `/${dotnetNamespace}.${entity}.${request.name}`, encoding: messagePack },
]

/** Maps a path to its command. */
export function commandNames(commands: readonly Command[], dotnetNamespace: string) {
  const names = new Map(
    commands.flatMap((command) =>
      pathsOf(command, dotnetNamespace).map(({ path }) => [path, command.name] as const),
    ),
  )
  return (path: string): string | undefined => names.get(path)
}
