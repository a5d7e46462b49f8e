import { constants, type Http2Session, type ServerHttp2Session } from 'node:http2'
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import type { Authenticated, Authentication } from '../../auth/authenticate.ts'
import { type Budgets, budgetLimits } from '../../config/budgets.ts'
import { addressKey, addressLengthMax } from '../../http/addresses.ts'
import { releaseAll, takeAll } from '../../model/budget.ts'
import { type BaseCall, baseCallOf, type CallLog, type InnerCall, type RequestIds } from './call-log.ts'
import { addressOf, type LimitAccountCalls, type WaitForRateLimit } from './limit-calls.ts'
import type { Newcomers } from './newcomers.ts'
import type { PendingRequests } from './pending-requests.ts'

export interface AdmissionOptions {
  readonly authentication: Authentication
  readonly waitForRateLimit: WaitForRateLimit
  /** The number of trusted proxies in front of this host. */
  readonly proxies: number
  /** Logs calls that are rejected before their token is accepted. */
  readonly callLog: CallLog
  readonly requestIds: RequestIds
  readonly pendingRequests: PendingRequests
  readonly unauthenticatedCalls: UnauthenticatedCalls
  readonly trusted: TrustedConnections
  readonly newcomers: Newcomers
  readonly limitAccountCalls: LimitAccountCalls
  /** Returns the name of the command at a path, if there is one. */
  commandAt(path: string): string | undefined
}

export interface AdmittedCalls {
  readonly interceptor: ServerInterceptor
  sessionOf(metadata: Metadata): Authenticated
}

/**
 * Checks the rate limit and the token when the headers of a command arrive, before any byte of its message is
 * read. So no earlier interceptor may wrap the call. Reflection and health need no token and have their own
 * limits.
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
    waitForRateLimit,
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
          const checkHeaders = async () => {
            await waitForRateLimit({
              peer: call.getPeer(),
              metadata,
              onCancel: (callback) => {
                cancel = callback
              },
            })
            const session = await authentication.authenticate(authorizationOf(metadata), {
              address: addressOf({ peer: call.getPeer(), metadata }, proxies).slice(0, addressLengthMax),
              requestId: requestIds.of(metadata),
              host: 'commands',
            })
            const { stream } = baseCallOf(call)
            trusted.trust(stream.session)
            newcomers.release(stream)
            const { id } = session.caller
            limitAccountCalls(stream, id)
            pendingRequests.countBytes(call, id)
            sessions.set(metadata, session)
          }
          checkHeaders().then(
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
  const [first, ...repetitions] = metadata.get('authorization')
  return repetitions.length === 0 ? first?.toString() : undefined
}

export interface UnauthenticatedCalls {
  /** Returns false for a call beyond the limits, after rejecting it. */
  admit(call: InnerCall): boolean
}

/**
 * Limits the calls of reflection and health, which need no token, until a token was accepted on the
 * connection.
 */
export function limitUnauthenticatedCalls(
  budgets: Budgets,
  { trusted, proxies }: { readonly trusted: TrustedConnections; readonly proxies: number },
  lifetimeMilliseconds: number,
): UnauthenticatedCalls {
  const perConnection = budgets.budget('unauthenticatedStreamsPerConnection')
  const perAddress = budgets.budget('unauthenticatedStreamsPerAddress')
  const perProcess = budgets.budget('unauthenticatedStreams')
  return {
    admit(call) {
      const base = baseCallOf(call)
      const { stream } = base
      // The first limit is for the message as it arrives, the second for its decompressed form.
      base.decoder.maxReadMessageLength = budgetLimits.unauthenticatedMessageBytes.max
      base.maxReceiveMessageSize = budgetLimits.unauthenticatedMessageBytes.max
      const connection = stream.session
      if (!connection || trusted.has(connection)) return true
      const shares = [
        { budget: perConnection, holder: connection },
        {
          budget: perAddress,
          holder: addressKey(addressOf({ peer: call.getPeer(), metadata: base.metadata }, proxies)),
        },
        { budget: perProcess },
      ]
      if (!takeAll(shares)) {
        call.sendStatus(tooMany)
        return false
      }
      const timer = setTimeout(() => {
        if (!trusted.has(connection)) call.sendStatus(tooLong)
      }, lifetimeMilliseconds)
      stream.once('close', () => {
        clearTimeout(timer)
        releaseAll(shares)
      })
      limitFloods(base)
      return true
    },
  }
}

const tooMany = {
  code: status.RESOURCE_EXHAUSTED,
  details: 'Too many calls are open on connections without a token.',
}

const tooLong = {
  code: status.DEADLINE_EXCEEDED,
  details: 'A call on a connection without a token must end sooner. Call again.',
}

/** Closes a stream with too many unread messages. Thousands of empty messages fit into one packet. */
function limitFloods(base: BaseCall): void {
  const read = base.handleDataFrame.bind(base)
  base.handleDataFrame = (data) => {
    for (let start = 0; start < data.length && !base.stream.closed; start += floodPieceBytes) {
      read(data.subarray(start, start + floodPieceBytes))
      if (base.readQueue.length > budgetLimits.unauthenticatedMessages.max) {
        base.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      }
    }
  }
}

/** Data is read in pieces of this size, so that a flood is noticed before all of it has become objects. */
const floodPieceBytes = 1024

/** Connections on which a token was accepted. */
export interface TrustedConnections {
  has(connection: Http2Session): boolean
  /** Also allows the connection more streams. */
  trust(connection: Http2Session | undefined): void
}

/**
 * A new connection has the stream limit that clients assume by default. An accepted token raises it before
 * the first response. The raised limit leaves room for streams that have ended for the client while this host
 * still counts them.
 */
export function createTrustedConnections(): TrustedConnections {
  const trusted = new WeakSet<Http2Session>()
  return {
    has: (connection) => trusted.has(connection),
    trust(connection) {
      if (!connection || trusted.has(connection) || connection.destroyed) return
      trusted.add(connection)
      ;(connection as ServerHttp2Session).settings({ maxConcurrentStreams: budgetLimits.commandStreams.max })
    },
  }
}
