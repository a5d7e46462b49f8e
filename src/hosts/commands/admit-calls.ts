import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import type { Authenticated, Authentication } from '../../auth/authenticate.ts'
import { baseCallOf, type CallLog, type InnerCall, type RequestIds } from './call-log.ts'
import { type Admit, addressOf, type CountCall } from './limit-calls.ts'
import type { Newcomers } from './newcomers.ts'
import type { PendingRequests } from './pending-requests.ts'
import type { TrustedConnections, UnauthenticatedCalls } from './unauthenticated-calls.ts'

export interface Admission {
  readonly authentication: Authentication
  readonly admit: Admit
  /** The number of trusted proxies in front of this host. */
  readonly proxies: number
  /** Logs calls that are rejected before or at their token. */
  readonly callLog: CallLog
  readonly requestIds: RequestIds
  readonly pendingRequests: PendingRequests
  readonly unauthenticated: UnauthenticatedCalls
  readonly trusted: TrustedConnections
  readonly newcomers: Newcomers
  readonly countCall: CountCall
  /** The name of the command at a path. */
  commandAt(path: string): string | undefined
}

export interface AdmittedCalls {
  readonly interceptor: ServerInterceptor
  sessionOf(metadata: Metadata): Authenticated
}

/**
 * The limiter and the token are checked when the headers of a call arrive; no byte of its message is read
 * before both have passed. This must be the first interceptor that wraps a call.
 */
export function admitCalls(admission: Admission): AdmittedCalls {
  const sessions = new WeakMap<Metadata, Authenticated>()
  return {
    interceptor(method, call) {
      const command = admission.commandAt(method.path)
      return command === undefined
        ? admitUnauthenticated(admission, call)
        : admitCommand(admission, call, command, sessions)
    },
    sessionOf(metadata) {
      const session = sessions.get(metadata)
      if (!session) throw new Error('A command was reached without authentication.')
      return session
    },
  }
}

function admitUnauthenticated({ unauthenticated }: Admission, call: InnerCall): ServerInterceptingCall {
  return new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMetadata(metadata, received) {
          if (unauthenticated.mayCall(call)) received(metadata)
        },
      })
    },
  })
}

function admitCommand(
  admission: Admission,
  call: InnerCall,
  command: string,
  sessions: WeakMap<Metadata, Authenticated>,
): ServerInterceptingCall {
  const {
    authentication,
    admit,
    proxies,
    callLog,
    requestIds,
    pendingRequests,
    trusted,
    newcomers,
    countCall,
  } = admission
  const startedAt = performance.now()
  let cancel: () => void = () => undefined
  return new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMetadata(metadata, received) {
          const begin = async () => {
            await admit({
              peer: call.getPeer(),
              metadata,
              onCancel: (run) => {
                cancel = run
              },
            })
            const session = await authentication.authenticate(authorizationOf(metadata), {
              address: addressOf({ peer: call.getPeer(), metadata }, proxies).slice(0, 64),
              requestId: requestIds.of(metadata),
              host: 'commands',
            })
            const { stream } = baseCallOf(call)
            trusted.add(stream.session)
            newcomers.accept(stream)
            const { id } = session.caller
            countCall(stream, id)
            pendingRequests.count(call, id)
            sessions.set(metadata, session)
          }
          begin().then(
            () => received(metadata),
            (error: unknown) => {
              const named = { command, requestId: requestIds.of(metadata) }
              const problem = callLog.rejectionOf(named, error)
              callLog.recordEnd(named, problem.code, startedAt)
              call.sendStatus(problem)
            },
          )
        },
        onCancel: () => cancel(),
      })
    },
  })
}

/** A repeated header counts as missing. */
function authorizationOf(metadata: Metadata): string | undefined {
  const [given, ...others] = metadata.get('authorization')
  return others.length === 0 ? given?.toString() : undefined
}
