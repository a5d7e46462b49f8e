import type { ServerHttp2Stream } from 'node:http2'
import type { Metadata, ServerInterceptor } from '@grpc/grpc-js'

/** A call as an interceptor is given it. */
export type InnerCall = Parameters<ServerInterceptor>[1]

/** What the gRPC library keeps to itself of a call. Its version is pinned, and every test of a call needs all of it. */
export interface BaseCall {
  readonly stream: ServerHttp2Stream
  /** The same that every interceptor and the handler are given. */
  readonly metadata: Metadata
  /** Messages that nobody asked for yet. */
  readonly readQueue: readonly unknown[]
  readonly decoder: { maxReadMessageLength: number }
  maxReceiveMessageSize: number
  handleDataFrame(data: Buffer): void
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>
}

/** Of the call that the first interceptors are given, before any of them wraps it. */
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
    throw new Error('The gRPC library reads messages in another way now.')
  }
  return base
}
