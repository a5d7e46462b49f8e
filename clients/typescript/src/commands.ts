import { Client, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Content } from '../../../src/hosts/commands/message.ts'
import { parseViolations, statusDetailsKey } from '../../../src/hosts/commands/status-details.ts'
import type { CallOptions, FollowedChange, FollowOptions } from './call.ts'
import { createChannel, type TlsOptions } from './channel.ts'
import type { CommandClient, FollowChangesRequest } from './command-types.ts'
import { createFollow } from './follow.ts'
import { type KnownCommand, knownCommands } from './known-commands.ts'
import { codecOf } from './message-codec.ts'

/** Exported here, so that callers import types and client from one place. */
export type * from './command-types.ts'
export type { FollowedChange, FollowOptions }

export interface CommandClientOptions {
  /** Host and port: `localhost:5300`. */
  readonly target: string
  /** An access token for commands, or a function that returns one and is called before every call. */
  readonly token: string | (() => string | Promise<string>)
  /** True by default for every target except this machine. */
  readonly tls?: boolean | TlsOptions
}

/** The error of a rejected command. `message` has all sentences, `errors` has them by field. */
export class CommandError extends Error {
  /** The name of the gRPC status. */
  readonly code: keyof typeof status
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The time until a limited caller may try again. */
  readonly retryAfterSeconds: number | undefined

  constructor({ code, details, metadata }: ServiceError) {
    super(details)
    this.name = 'CommandError'
    this.code = status[code] as keyof typeof status
    const [violations] = metadata.get(statusDetailsKey)
    this.errors = violations instanceof Buffer ? parseViolations(violations) : {}
    const [seconds] = metadata.get('retry-after')
    this.retryAfterSeconds = seconds === undefined ? undefined : Number(seconds)
  }
}

/** The commands that return a stream. */
export interface FeedClient {
  /**
   * Yields every committed change that the account may see, once, in order and without end, starting after
   * `after`. No change is lost with a connection. A cursor that is too old is rejected with the code
   * OUT_OF_RANGE.
   */
  followChanges(request?: FollowChangesRequest, options?: FollowOptions): AsyncGenerator<FollowedChange, void>
}

/** Opens a connection on which every command can be called: `client.createProject({ name, organizationId })`. */
export function openCommandClient({
  target,
  token,
  tls,
}: CommandClientOptions): CommandClient & FeedClient & { close(): void } {
  const channel = createChannel(target, tls)
  const client = new Client(target, channel.credentials, {
    ...channel.options,
    'grpc.max_receive_message_length': responseBytesMax,
  })
  const headers = async () => {
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`)
    return metadata
  }
  const methods = knownCommands.map((command) => [
    command.name,
    command.isStream
      ? createFollow({ client, headers, createCommandError }, command)
      : createCall(client, headers, command),
  ])
  return { ...(Object.fromEntries(methods) as CommandClient & FeedClient), close: () => client.close() }
}

/** A page of 100 changes of the longest comments takes 6 MB, because each contains both texts. */
const responseBytesMax = 16 * 1024 ** 2

/** Longer than any statement of the host may take. */
const timeoutMilliseconds = 30_000

const createCommandError = (error: ServiceError) => new CommandError(error)

function createCall(client: Client, headers: () => Promise<Metadata>, command: KnownCommand) {
  const { write, read } = codecOf(command)
  return async (content: Content, { withinMilliseconds = timeoutMilliseconds, signal }: CallOptions = {}) => {
    const body = write(content)
    const metadata = await headers()
    const options = { deadline: Date.now() + withinMilliseconds }
    return new Promise<Content>((resolve, reject) => {
      const settle = (error: ServiceError | null, result?: Content) => {
        signal?.removeEventListener('abort', cancel)
        if (error) reject(new CommandError(error))
        else resolve(result as Content)
      }
      const call = client.makeUnaryRequest(command.path, asIs, read, body, metadata, options, settle)
      const cancel = () => call.cancel()
      if (signal?.aborted) cancel()
      signal?.addEventListener('abort', cancel)
    })
  }
}

/** The codec has encoded the request already. */
const asIs = (bytes: Buffer): Buffer => bytes
