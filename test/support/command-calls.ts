import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { loadSync, type MethodDefinition } from '@grpc/proto-loader'

export interface CommandAnswer {
  /** 0 is success. */
  readonly code: number
  /** The first sentence of a refusal. */
  readonly details: string
  readonly metadata: Metadata
  // The tests look into results of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: a result is what came over the network
  readonly result: any
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly metadata?: Readonly<Record<string, string>>
  readonly deadline?: Date
}

/** A stock gRPC client, made from the published .proto file. */
export interface CommandCalls {
  /** `name` as in the file: CreateProject. */
  call(name: string, request: object, options?: CallOptions): Promise<CommandAnswer>
  /** Bytes to any path. */
  callRaw(path: string, request: Buffer, options?: CallOptions): Promise<CommandAnswer>
  /** The fields of a message: name in camelCase to its type. */
  fieldsOf(message: string): ReadonlyMap<string, string>
  close(): void
}

type AnyMethod = MethodDefinition<object, object>
type Field = { readonly name: string; readonly type: string; readonly typeName: string }

const protoFile = fileURLToPath(
  new URL('../../docs/contract/tracker/commands/v1/commands.proto', import.meta.url),
)
const packageName = 'tracker.commands.v1'

export function openCommandCalls(target: string, options: ClientOptions = {}): CommandCalls {
  const definition = loadSync(protoFile, { longs: String, defaults: true })
  const service = definition[`${packageName}.Commands`] as unknown as Readonly<Record<string, AnyMethod>>
  const client = new Client(target, credentials.createInsecure(), options)
  const send = <Request, Result>(
    path: string,
    [serialize, deserialize]: [(request: Request) => Buffer, (bytes: Buffer) => Result],
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
  return {
    call(name, request, options) {
      const method = service[name]
      if (!method) throw new Error(`${name} is no command.`)
      return send(method.path, [method.requestSerialize, method.responseDeserialize], request, options)
    },
    callRaw: (path, request, options) => send(path, [asIs, asIs], request, options),
    fieldsOf(message) {
      const { type } = definition[`${packageName}.${message}`] as unknown as {
        type: { field: readonly Field[] }
      }
      return new Map(type.field.map(({ name, type: kind, typeName }) => [camelCase(name), typeName || kind]))
    },
    close: () => client.close(),
  }
}

const asIs = (bytes: Buffer): Buffer => bytes

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())

const answerOf = (error: ServiceError | null, result: unknown): CommandAnswer =>
  error
    ? { code: error.code, details: error.details, metadata: error.metadata, result: undefined }
    : { code: 0, details: '', metadata: new Metadata(), result }
