import { fileURLToPath } from 'node:url'
import {
  Client,
  type ClientOptions,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync, type MethodDefinition } from '@grpc/proto-loader'
import { disposable } from './fixture.ts'

export interface CommandAnswer {
  /** 0 is success. */
  readonly code: number
  /** All messages of a rejected call. */
  readonly details: string
  readonly metadata: Metadata
  // biome-ignore lint/suspicious/noExplicitAny: a result is what came over the network
  readonly result: any
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly metadata?: Readonly<Record<string, string>>
  readonly deadline?: Date
}

export interface FollowedCall {
  // biome-ignore lint/suspicious/noExplicitAny: a message is what came over the network
  readonly messages: readonly any[]
  /** Resolves when `count` messages have arrived. */
  until(count: number): Promise<void>
  /** Resolves with the status at the end of the stream. */
  readonly ended: Promise<{ readonly code: number; readonly details: string }>
  pause(): void
  resume(): void
  cancel(): void
}

/** A standard gRPC client, created from the published .proto files. */
export interface CommandCalls extends AsyncDisposable {
  /** Sends a command. `name` is its name in the .proto file, such as CreateProject. */
  call(name: string, request: object, options?: CallOptions): Promise<CommandAnswer>
  /** Sends a command that responds with a stream. */
  follow(name: string, request: object, options?: Omit<CallOptions, 'metadata'>): FollowedCall
  /** Sends bytes to any path. */
  callRaw(path: string, request: Buffer, options?: CallOptions): Promise<CommandAnswer>
  /** Returns the types of the fields of a message, by their names in camelCase. */
  fieldsOf(message: string): ReadonlyMap<string, string>
  close(): void
}

type AnyMethod = MethodDefinition<object, object>
type Field = { readonly name: string; readonly type: string; readonly typeName: string }

interface Codec<Request, Result> {
  readonly serialize: (request: Request) => Buffer
  readonly deserialize: (bytes: Buffer) => Result
}

/** The packages, v1 and its extensions, with their files. */
const packages = [
  { name: 'tracker.commands.v1', file: 'tracker/commands/v1/commands.proto' },
  { name: 'tracker.ext.v1', file: 'tracker/ext/v1/commands.proto' },
]

const published = (file: string) => fileURLToPath(new URL(`../../docs/contract/${file}`, import.meta.url))

/** The form in which tests expect the values of messages. */
export const valueOptions = { longs: String, defaults: true }

// biome-ignore lint/suspicious/noExplicitAny: services and messages are looked up by name
const publishedDefinition = (): any =>
  Object.assign({}, ...packages.map(({ file }) => loadSync(published(file), valueOptions)))

export function openCommandCalls(
  target: string,
  options: ClientOptions = {},
  channel = credentials.createInsecure(),
  definition = publishedDefinition(),
): CommandCalls {
  const service: Readonly<Record<string, AnyMethod>> = Object.assign(
    {},
    ...packages.map(({ name }) => definition[`${name}.Commands`]),
  )
  const client = new Client(target, channel, options)
  const send = <Request, Result>(
    path: string,
    { serialize, deserialize }: Codec<Request, Result>,
    request: Request,
    { token, metadata = {}, deadline }: CallOptions = {},
  ) =>
    new Promise<CommandAnswer>((resolve) => {
      const headers = new Metadata()
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      for (const [key, value] of Object.entries(metadata)) headers.set(key, value)
      const options = deadline === undefined ? {} : { deadline }
      const done = (error: ServiceError | null, result?: Result) => resolve(answerOf(error, result))
      client.makeUnaryRequest(path, serialize, deserialize, request, headers, options, done)
    })
  return disposable<CommandCalls>({
    call(name, request, options) {
      const method = service[name]
      if (!method) throw new Error(`${name} is no command.`)
      const { path, requestSerialize: serialize, responseDeserialize: deserialize } = method
      return send(path, { serialize, deserialize }, request, options)
    },
    follow(name, request, { token, deadline } = {}) {
      const method = service[name]
      if (!method) throw new Error(`${name} is no command.`)
      const headers = new Metadata()
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      const { path, requestSerialize, responseDeserialize } = method
      const options = deadline === undefined ? {} : { deadline }
      return followCall(
        client.makeServerStreamRequest(
          path,
          requestSerialize,
          responseDeserialize,
          request,
          headers,
          options,
        ),
      )
    },
    callRaw: (path, request, options) => send(path, { serialize: asIs, deserialize: asIs }, request, options),
    fieldsOf(message) {
      const owner = packages.find(({ name }) => `${name}.${message}` in definition)
      if (!owner) throw new Error(`${message} is no message.`)
      const { type }: { type: { field: readonly Field[] } } = definition[`${owner.name}.${message}`]
      return new Map(type.field.map((field) => [camelCase(field.name), field.typeName || field.type]))
    },
    close: () => client.close(),
  })
}

function followCall(call: ClientReadableStream<object>): FollowedCall {
  const messages: object[] = []
  let wake = Promise.withResolvers<void>()
  let status: { code: number; details: string } | undefined
  const notify = () => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const ended = new Promise<{ code: number; details: string }>((resolve) => {
    call.on('error', () => undefined)
    call.on('status', ({ code, details }) => {
      status = { code, details }
      notify()
      resolve(status)
    })
  })
  call.on('data', (message: object) => {
    messages.push(message)
    notify()
  })
  return {
    messages,
    async until(count) {
      while (messages.length < count) {
        if (status)
          throw new Error(
            `The stream ended after ${messages.length} messages: ${status.code} ${status.details}`,
          )
        await wake.promise
      }
    },
    ended,
    pause: () => void call.pause(),
    resume: () => void call.resume(),
    cancel: () => call.cancel(),
  }
}

const asIs = (bytes: Buffer): Buffer => bytes

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())

const answerOf = (error: ServiceError | null, result: unknown): CommandAnswer =>
  error
    ? { code: error.code, details: error.details, metadata: error.metadata, result: undefined }
    : { code: 0, details: '', metadata: new Metadata(), result }
