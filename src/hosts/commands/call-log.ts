import type { ServerHttp2Stream } from 'node:http2'
import { Metadata, type ServerInterceptor, status } from '@grpc/grpc-js'
import { requestIdFrom, requestIdHeader } from '../../http/log.ts'
import type { LogWriter } from '../../model/budget.ts'
import type { Caller } from '../../model/caller.ts'
import { Problem } from '../../model/problem.ts'
import { type CallError, callErrorOf, unexpectedError } from './call-error.ts'

export interface CallLog {
  /** Writes one line and records one measurement. Called once for each call of a command. */
  recordEnd(call: LoggedCall, code: status, startedAt: number): void
  /** Returns the error for the client. Logs an unexpected one, and the cause of an unavailable store. */
  recordFailure(call: LoggedCall, error: unknown): CallError
}

/** Identifies a call of a command in the log. */
export interface LoggedCall {
  readonly command: string
  readonly requestId: string
  /** Absent if the call was rejected before its token was accepted. */
  readonly caller?: Caller
}

export function createCallLog(
  log: Pick<LogWriter, 'info' | 'error'>,
  onEnd: (command: string, code: status, seconds: number) => void,
): CallLog {
  return {
    recordEnd({ command, requestId, caller }, code, startedAt) {
      const milliseconds = performance.now() - startedAt
      onEnd(command, code, milliseconds / 1000)
      log.info(
        {
          command,
          reqId: requestId,
          code: status[code],
          milliseconds: Math.round(milliseconds * 100) / 100,
          address: caller?.origin?.address,
          account: caller?.id,
        },
        'A call has ended.',
      )
    },
    recordFailure({ command, requestId }, error) {
      const callError = callErrorOf(error)
      const cause = error instanceof Problem ? error.cause : undefined
      if (callError && cause !== undefined)
        log.error({ err: cause, command, reqId: requestId }, 'The store was not available to a call.')
      if (callError) return callError
      log.error({ err: error, command, reqId: requestId }, 'An unexpected error ended a call.')
      return unexpectedError()
    },
  }
}

export interface RequestIds {
  /** Returns the id of a call from its headers, or a new id. */
  of(metadata: Metadata): string
  /** Sends the id in the trailers of every call. */
  readonly interceptor: ServerInterceptor
}

export function createRequestIds(): RequestIds {
  const ids = new WeakMap<Metadata, string>()
  const of = (metadata: Metadata) => {
    const id = ids.get(metadata) ?? requestIdFrom(metadata.get(requestIdHeader)[0])
    ids.set(metadata, id)
    return id
  }
  return {
    of,
    interceptor: (_method, call) => {
      const { metadata } = baseCallOf(call)
      // `sendStatus` is replaced, because the library ends some calls by itself, bypassing every interceptor.
      const send = call.sendStatus.bind(call)
      call.sendStatus = (callStatus) => {
        const trailers = callStatus.metadata?.clone() ?? new Metadata()
        trailers.set(requestIdHeader, of(metadata))
        send({ ...callStatus, metadata: trailers })
      }
      return call as ReturnType<ServerInterceptor>
    },
  }
}

/** A call as an interceptor receives it. */
export type InnerCall = Parameters<ServerInterceptor>[1]

/**
 * Internals of a call in the gRPC library, whose version is pinned. If a new version changes them, every test
 * of a call fails.
 */
export interface BaseCall {
  readonly stream: ServerHttp2Stream
  /** The same object for every interceptor and the handler. */
  readonly metadata: Metadata
  /** Received messages that the handler has not requested yet. */
  readonly readQueue: readonly unknown[]
  readonly decoder: { maxReadMessageLength: number }
  maxReceiveMessageSize: number
  handleDataFrame(data: Buffer): void
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>
}

/** Returns the object of a call in the library. No other interceptor may have wrapped the call before. */
export function baseCallOf(call: InnerCall): BaseCall {
  const base = call as unknown as BaseCall
  if (
    !base.stream ||
    !base.readQueue ||
    !base.metadata ||
    !base.decoder ||
    !base.handleDataFrame ||
    !base.decompressMessage
  ) {
    throw new Error('The internals of the gRPC library have changed.')
  }
  return base
}
