import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import type { Authenticated, Authentication } from '../../auth/authenticate.ts'
import { baseCallOf, type CallLog, type InnerCall, type RequestIds } from './call-log.ts'
import { type Admit, addressOf, type LimitAccountCalls } from './limit-calls.ts'
import type { Newcomers } from './newcomers.ts'
import type { PendingRequests } from './pending-requests.ts'
import type { TrustedConnections, UnauthenticatedCalls } from './unauthenticated-calls.ts'

export interface AdmissionOptions {
  readonly authentication: Authentication
  readonly admit: Admit
  /** The number of trusted proxies in front of this host. */
  readonly proxies: number
  /** Logs calls that are rejected before or at their token. */
  readonly callLog: CallLog
  readonly requestIds: RequestIds
  readonly pendingRequests: PendingRequests
  readonly unauthenticatedCalls: UnauthenticatedCalls
  readonly trusted: TrustedConnections
  readonly newcomers: Newcomers
  readonly limitAccountCalls: LimitAccountCalls
  /** The name of the command at a path. */
  commandAt(path: string): string | undefined
}

export interface AdmittedCalls {
  readonly interceptor: ServerInterceptor
  sessionOf(metadata: Metadata): Authenticated
}

/**
 * Checks the rate limit and the token when the headers of a call arrive. No byte of its message is read before both have passed,
 * so this must be the first interceptor that wraps a call.
 */
export function admitCalls(admission: AdmissionOptions): AdmittedCalls {
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

function admitUnauthenticated(
  { unauthenticatedCalls }: AdmissionOptions,
  call: InnerCall,
): ServerInterceptingCall {
  return new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMetadata(metadata, forward) {
          if (unauthenticatedCalls.admit(call)) forward(metadata)
        },
      })
    },
  })
}

function admitCommand(
  admission: AdmissionOptions,
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
    limitAccountCalls,
  } = admission
  const startedAt = performance.now()
  let cancel: () => void = () => undefined
  return new ServerInterceptingCall(call, {
    start(next) {
      next({
        onReceiveMetadata(metadata, forward) {
          const admitCall = async () => {
            await admit({
              peer: call.getPeer(),
              metadata,
              onCancel: (callback) => {
                cancel = callback
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
            limitAccountCalls(stream, id)
            pendingRequests.count(call, id)
            sessions.set(metadata, session)
          }
          admitCall().then(
            () => forward(metadata),
            (error: unknown) => {
              const loggedCall = { command, requestId: requestIds.of(metadata) }
              const problem = callLog.recordFailure(loggedCall, error)
              callLog.recordEnd(loggedCall, problem.code, startedAt)
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
  const [first, ...others] = metadata.get('authorization')
  return others.length === 0 ? first?.toString() : undefined
}
