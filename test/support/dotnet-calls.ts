import {
  type ChannelCredentials,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import type { CallOptions, CommandAnswer } from './command-calls.ts'
import { framed } from './lz4-encoder.ts'
import { decode } from './message-pack-decoder.ts'
import { encode } from './message-pack-encoder.ts'

/** Calls as a .NET client makes them: its paths, its messages, compressed when they are long. */
export interface DotnetCalls {
  /** `name` is that of the class: CreateProjectCommand. The fields are in PascalCase. */
  call(entity: string, name: string, fields: unknown, options?: CallOptions): Promise<CommandAnswer>
  /** The messages of a command that answers with a stream. */
  follow(entity: string, name: string, fields: unknown, token: string): ClientReadableStream<unknown>
  /** A body as it is, to any path; the result is decoded. */
  send(path: string, body: Buffer, options?: CallOptions): Promise<CommandAnswer>
  close(): void
}

export const dotnetPath = (entity: string, name: string, namespace = 'GrpcServer.Contracts.Commands') =>
  `/${namespace}.${entity}.${name}/`

export function openDotnetCalls(
  target: string,
  security: ChannelCredentials = credentials.createInsecure(),
): DotnetCalls {
  const client = new Client(target, security)
  const send: DotnetCalls['send'] = (path, body, { token, metadata = {}, deadline } = {}) =>
    new Promise((resolve) => {
      const headers = new Metadata()
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      for (const [key, value] of Object.entries(metadata)) headers.set(key, value)
      const done = (error: ServiceError | null, result: unknown) => resolve(answerOf(error, result))
      client.makeUnaryRequest(path, asIs, decode, body, headers, deadline ? { deadline } : {}, done)
    })
  return {
    call: (entity, name, fields, options) => send(dotnetPath(entity, name), framed(encode(fields)), options),
    send,
    follow(entity, name, fields, token) {
      const headers = new Metadata()
      headers.set('authorization', `Bearer ${token}`)
      const body = framed(encode(fields))
      return client.makeServerStreamRequest(dotnetPath(entity, name), asIs, decode, body, headers)
    },
    close: () => client.close(),
  }
}

const asIs = (bytes: Buffer): Buffer => bytes

const answerOf = (error: ServiceError | null, result: unknown): CommandAnswer =>
  error
    ? { code: error.code, details: error.details, metadata: error.metadata, result: undefined }
    : { code: 0, details: '', metadata: new Metadata(), result }
