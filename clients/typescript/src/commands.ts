import { Client, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Content } from '../../../src/hosts/commands/message.ts'
import { parseViolations, statusDetailsKey } from '../../../src/hosts/commands/status-details.ts'
import type { CallOptions, Followed, FollowOptions } from './call.ts'
import { credentialsFor, type TlsOptions } from './channel.ts'
import type { CommandClient, FollowChangesRequest } from './command-types.ts'
import { followOf } from './follow.ts'
import { type KnownCommand, knownCommands } from './known-commands.ts'
import { codecOf } from './message-codec.ts'

/** Callers name these, and find them where the client is. */
export type * from './command-types.ts'
export type { Followed, FollowOptions }

export interface CommandClientOptions {
  /** Host and port: `localhost:5300`. */
  readonly target: string
  /** An access token for commands, or how to get one; asked before every call. */
  readonly token: string | (() => string | Promise<string>)
  /** On for every target but this machine itself. */
  readonly tls?: boolean | TlsOptions
}

/** The error of a rejected command: its status by name, every sentence in the message, and the sentences by field. */
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
    this.errors = violations instanceof Buffer ? parseViolations(violations) : {}
    const [seconds] = metadata.get('retry-after')
    this.retryAfterSeconds = seconds === undefined ? undefined : Number(seconds)
  }
}

/** The connection's methods in addition to the commands that have one answer. */
export interface FeedClient {
  /**
   * Every committed change that the account may see, once and in its order, from `after` on and without an end. A lost
   * connection loses none; a cursor that is too old is thrown with the code OUT_OF_RANGE.
   */
  followChanges(request?: FollowChangesRequest, options?: FollowOptions): AsyncGenerator<Followed, void>
}

/** Opens a connection on which every command can be called: `client.createProject({ name, organizationId })`. */
export function openCommandClient({
  target,
  token,
  tls,
}: CommandClientOptions): CommandClient & FeedClient & { close(): void } {
  const channel = credentialsFor(target, tls)
  const client = new Client(target, channel.credentials, {
    ...channel.options,
    'grpc.max_receive_message_length': answerBytesMax,
  })
  const headers = async () => {
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`)
    return metadata
  }
  const methods = knownCommands.map((command) => [
    command.name,
    command.isStream ? followOf({ client, headers, rejectionOf }, command) : callOf(client, headers, command),
  ])
  return { ...(Object.fromEntries(methods) as CommandClient & FeedClient), close: () => client.close() }
}

/** No answer of the host is larger than a page of the largest rows. */
const answerBytesMax = 4 * 1024 ** 2

// Longer than any statement of the host may take.
const patienceMilliseconds = 30_000

const rejectionOf = (error: ServiceError) => new CommandError(error)

function callOf(client: Client, headers: () => Promise<Metadata>, command: KnownCommand) {
  const { write, read } = codecOf(command)
  return async (
    content: Content,
    { withinMilliseconds = patienceMilliseconds, signal }: CallOptions = {},
  ) => {
    const body = write(content)
    const metadata = await headers()
    const options = { deadline: Date.now() + withinMilliseconds }
    return new Promise<Content>((resolve, reject) => {
      const end = (error: ServiceError | null, answer?: Content) => {
        signal?.removeEventListener('abort', cancel)
        if (error) reject(new CommandError(error))
        else resolve(answer as Content)
      }
      const call = client.makeUnaryRequest(command.path, asIs, read, body, metadata, options, end)
      const cancel = () => call.cancel()
      if (signal?.aborted) cancel()
      signal?.addEventListener('abort', cancel)
    })
  }
}

const asIs = (bytes: Buffer): Buffer => bytes
