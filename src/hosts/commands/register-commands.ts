import { randomUUID } from 'node:crypto'
import type { Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import type { Authentication } from '../../authentication/authenticate.ts'
import type { Log } from '../../http/log.ts'
import type { RequestOrigin } from '../../model/caller.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { type CallError, CallGone, callErrorOf, unexpectedError } from './call-error.ts'
import type { Command } from './commands.ts'
import { type Admit, addressOf } from './limit-calls.ts'
import type { Encoding } from './message.ts'
import { pathsOf } from './paths.ts'
import { runCommand } from './run-command.ts'

export interface Registration {
  readonly commands: readonly Command[]
  readonly tracker: Tracker
  readonly authentication: Authentication
  readonly admit: Admit
  readonly dotnetNamespace: string
  readonly forwardedHeaders: boolean
  readonly log: Log
  /** Told of every call when it ends. */
  readonly onEnd: (command: string, code: status, seconds: number) => void
}

/** Registers every command on each of its paths; messages pass as bytes, because a path decides how they are read. */
export function registerCommands(server: Server, registration: Registration): void {
  for (const command of registration.commands) {
    for (const { path, encoding } of pathsOf(command, registration.dotnetNamespace)) {
      server.register(path, handlerOf(registration, command, encoding), asIs, asIs, 'unary')
    }
  }
}

type Call = ServerUnaryCall<Buffer, Buffer>

const asIs = (bytes: Buffer): Buffer => bytes

function handlerOf(registration: Registration, command: Command, encoding: Encoding) {
  const answer = answering(registration, command, encoding)
  const { log, onEnd } = registration
  return (call: Call, reply: sendUnaryData<Buffer>): void => {
    const startedAt = performance.now()
    const end = (code: status) => {
      const milliseconds = performance.now() - startedAt
      onEnd(command.name, code, milliseconds / 1000)
      log.info(
        { command: command.name, code: status[code], milliseconds: Math.round(milliseconds * 100) / 100 },
        'call',
      )
    }
    answer(call).then(
      (bytes) => {
        end(isGone(call) ? goneStatus(call) : status.OK)
        reply(null, bytes)
      },
      (error: unknown) => {
        const refusal = callErrorOf(error) ?? unforeseen(log, command, error)
        end(isGone(call) ? goneStatus(call) : refusal.code)
        reply(refusal)
      },
    )
  }
}

function answering(
  { tracker, authentication, admit, forwardedHeaders }: Registration,
  command: Command,
  encoding: Encoding,
) {
  const read = encoding.reader(command.request)
  const write = encoding.writer(command.result)
  return async (call: Call): Promise<Buffer> => {
    await admit(call)
    const { caller } = await authentication.authenticate(
      authorizationOf(call),
      originOf(call, forwardedHeaders),
    )
    const request = read(call.request)
    // Whoever hung up or ran out of time gets nothing done any more.
    if (isGone(call)) throw new CallGone(goneStatus(call))
    return write(await runCommand(tracker, command, caller, request))
  }
}

const originOf = (call: Call, forwardedHeaders: boolean): RequestOrigin => ({
  address: addressOf(call, forwardedHeaders).slice(0, 64),
  requestId: randomUUID(),
})

/** Given twice, it is nobody's. */
function authorizationOf({ metadata }: Call): string | undefined {
  const [given, ...others] = metadata.get('authorization')
  return others.length === 0 ? given?.toString() : undefined
}

const isGone = (call: Call): boolean => call.cancelled || isLate(call)

// The library notices only when its timer runs, which may be after the request was read.
const isLate = (call: Call): boolean => Number(call.getDeadline()) <= Date.now()

const goneStatus = (call: Call): status => (isLate(call) ? status.DEADLINE_EXCEEDED : status.CANCELLED)

function unforeseen(log: Log, { name }: Command, error: unknown): CallError {
  log.error({ err: error, command: name }, 'unexpected error')
  return unexpectedError()
}
