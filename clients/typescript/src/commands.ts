import { Client, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Content, Message, MessageField } from '../../../src/hosts/commands/message.ts'
import { protobuf } from '../../../src/hosts/commands/protobuf/protobuf.ts'
import { readViolations, statusDetailsKey } from '../../../src/hosts/commands/status-details.ts'
import { readMoment } from '../../../src/model/moment.ts'
import type { CallOptions } from './call.ts'
import { credentialsFor, type TlsOptions } from './channel.ts'
import type { CommandClient } from './command-types.ts'
import { knownCommands } from './known-commands.ts'

/** Callers name these, and find them where the client is. */
export type * from './command-types.ts'

export interface CommandClientOptions {
  /** Host and port: `localhost:5300`. */
  readonly target: string
  /** An access token for commands, or how to get one; asked before every call. */
  readonly token: string | (() => string | Promise<string>)
  /** On for every target but this machine itself. */
  readonly tls?: boolean | TlsOptions
}

/** A refusal: the status by its name, the first sentence as the message, and all of them by field. */
export class CommandError extends Error {
  readonly code: keyof typeof status
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** When a limited caller may try again. */
  readonly retryAfterSeconds: number | undefined

  constructor({ code, details, metadata }: ServiceError) {
    super(details)
    this.name = 'CommandError'
    this.code = status[code] as keyof typeof status
    const [violations] = metadata.get(statusDetailsKey)
    this.errors = violations instanceof Buffer ? readViolations(violations) : {}
    const [seconds] = metadata.get('retry-after')
    this.retryAfterSeconds = seconds === undefined ? undefined : Number(seconds)
  }
}

/** Opens a connection on which every command can be called: `client.createProject({ name, organizationId })`. */
export function openCommandClient({
  target,
  token,
  tls,
}: CommandClientOptions): CommandClient & { close(): void } {
  const channel = credentialsFor(target, tls)
  const client = new Client(target, channel.credentials, {
    ...channel.options,
    'grpc.max_receive_message_length': answerBytesMax,
  })
  const methods = knownCommands.map((command) => [command.name, callOf(client, token, command)])
  return { ...(Object.fromEntries(methods) as CommandClient), close: () => client.close() }
}

/** No answer of the host is larger than a page of the largest rows. */
const answerBytesMax = 4 * 1024 ** 2

// Longer than any statement of the host may take.
const patienceMilliseconds = 30_000

function callOf(
  client: Client,
  token: CommandClientOptions['token'],
  { path, request, result }: (typeof knownCommands)[number],
) {
  const write = protobuf.writer(request)
  const read = protobuf.reader(result)
  const deserialize = (bytes: Buffer) => completed(result, read(bytes))
  return async (
    content: Content,
    { withinMilliseconds = patienceMilliseconds, signal }: CallOptions = {},
  ) => {
    const body = write(withMoments(request, content))
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`)
    const options = { deadline: Date.now() + withinMilliseconds }
    return new Promise<Content>((resolve, reject) => {
      const end = (error: ServiceError | null, answer?: Content) => {
        signal?.removeEventListener('abort', cancel)
        if (error) reject(new CommandError(error))
        else resolve(answer as Content)
      }
      const call = client.makeUnaryRequest(path, asIs, deserialize, body, metadata, options, end)
      const cancel = () => call.cancel()
      if (signal?.aborted) cancel()
      signal?.addEventListener('abort', cancel)
    })
  }
}

const asIs = (bytes: Buffer): Buffer => bytes

/** Moments may be given in any form the hosts read. */
function withMoments({ fields }: Message, content: Content): Content {
  const moments = fields.filter(({ name, shape }) => shape === 'moment' && typeof content[name] === 'string')
  return {
    ...content,
    ...Object.fromEntries(moments.map(({ name }) => [name, momentIn(name, content[name])])),
  }
}

function momentIn(name: string, given: unknown): string {
  const moment = readMoment(String(given))
  if (moment === undefined) throw new TypeError(`${name} must be an ISO-8601 date and time.`)
  return moment
}

/** What the sender left out, because it is null or the zero of its type. */
const completed = ({ fields }: Message, content: Content): Content =>
  Object.fromEntries(fields.map((field) => [field.name, completedField(field, content[field.name])]))

function completedField({ shape, isRepeated, isOptional }: MessageField, value: unknown): unknown {
  const complete = (item: unknown) => (typeof shape === 'string' ? item : completed(shape, item as Content))
  if (isRepeated) return ((value ?? []) as unknown[]).map(complete)
  if (value !== undefined) return complete(value)
  return isOptional || typeof shape !== 'string' ? null : zeros[shape]
}

const zeros = { text: '', uuid: '', moment: null, number: 0, wholeNumber: 0, flag: false } as const
