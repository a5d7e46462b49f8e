import type { Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import { whileItStands } from '../../authentication/while-it-stands.ts'
import { unauthenticated } from '../../model/problem.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { startWork } from '../../store/work.ts'
import { CallGone } from './call-error.ts'
import { type Command, isStream, type UnaryCommand } from './commands.ts'
import { type Following, followHandlerOf } from './follow-handler.ts'
import type { Encoding } from './message.ts'
import { pathsOf } from './paths.ts'
import { runCommand } from './run-command.ts'

export interface Registration extends Following {
  readonly commands: readonly Command[]
  readonly tracker: Tracker
  readonly dotnetNamespace: string
}

/** Registers every command on each of its paths; messages pass as bytes, because a path decides how they are read. */
export function registerCommands(server: Server, registration: Registration): void {
  for (const command of registration.commands) {
    for (const { path, encoding } of pathsOf(command, registration.dotnetNamespace)) {
      if (isStream(command))
        server.register(path, followHandlerOf(registration, command, encoding), asIs, asIs, 'serverStream')
      else server.register(path, handlerOf(registration, command, encoding), asIs, asIs, 'unary')
    }
  }
}

type Call = ServerUnaryCall<Buffer, Buffer>

const asIs = (bytes: Buffer): Buffer => bytes

function handlerOf(registration: Registration, command: UnaryCommand, encoding: Encoding) {
  const answer = answering(registration, command, encoding)
  const { callLog, requestIds } = registration
  return (call: Call, reply: sendUnaryData<Buffer>): void => {
    const startedAt = performance.now()
    const named = { command: command.name, requestId: requestIds.of(call.metadata) }
    const end = (code: status) => callLog.noteEnd(named, isGone(call) ? goneStatus(call) : code, startedAt)
    answer(call).then(
      (bytes) => {
        end(status.OK)
        reply(null, bytes)
      },
      (error: unknown) => {
        const refusal = callLog.refusalOf(named, error)
        end(refusal.code)
        reply(refusal)
      },
    )
  }
}

function answering({ tracker, sessionOf }: Registration, command: UnaryCommand, encoding: Encoding) {
  const read = encoding.reader(command.request)
  const write = encoding.writer(command.result)
  const { complete } = tracker.database
  return async (call: Call): Promise<Buffer> => {
    const session = sessionOf(call.metadata)
    const request = read(call.request)
    // Nothing is done for a caller that hung up or ran out of time.
    if (isGone(call)) throw new CallGone(goneStatus(call))
    const work = startWork(command.name, 'commands', call.metadata.get('traceparent')[0])
    work.holder = session.caller.id
    return write(
      await complete(work, async () => {
        // What it gives or takes outlasts the sign-in, as over REST.
        if (!command.changesAccounts) return runCommand(tracker, command, session.caller, request)
        if (!(await session.standsNow())) throw unauthenticated()
        const held = { ...tracker, database: whileItStands(tracker.database, session) }
        return runCommand(held, command, session.caller, request)
      }),
    )
  }
}

const isGone = (call: Call): boolean => call.cancelled || isLate(call)

// The library notices only when its timer runs, which may be after the request was read.
const isLate = (call: Call): boolean => Number(call.getDeadline()) <= Date.now()

const goneStatus = (call: Call): status => (isLate(call) ? status.DEADLINE_EXCEEDED : status.CANCELLED)
