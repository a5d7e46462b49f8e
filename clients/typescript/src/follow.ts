import { type Client, type Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Content } from '../../../src/hosts/commands/message.ts'
import type { FollowedChange, FollowOptions } from './call.ts'
import type { Change } from './command-types.ts'
import type { KnownCommand } from './known-commands.ts'
import { codecOf } from './message-codec.ts'
import { backoffMilliseconds, pauseFor } from './send.ts'

interface Connection {
  readonly client: Client
  /** Returns the headers of a call, with a token that has not expired. */
  headers(): Promise<Metadata>
  createCommandError(error: ServiceError): Error
}

/** A little more than two heartbeats of the host, which are 15 seconds apart. */
const silenceMillisecondsByDefault = 35_000

/**
 * Returns a method that follows a stream. A lost call is replaced by one that begins after the last cursor.
 */
export function createFollow(connection: Connection, command: KnownCommand) {
  return async function* (
    request: Content = {},
    options: FollowOptions = {},
  ): AsyncGenerator<FollowedChange, void> {
    const { signal, onReconnect } = options
    const progress: Progress = { request, failures: 0, rejections: 0 }
    while (!signal?.aborted) {
      const reason = yield* readUntilLost(connection, command, progress, options)
      if (signal?.aborted) return
      if (isFinal(reason, progress))
        throw isServiceError(reason) ? connection.createCommandError(reason) : reason
      onReconnect?.(reason)
      // An abort rejects the pause, and the loop then ends.
      await pauseFor(backoffMilliseconds(progress.failures), signal).catch(() => undefined)
      progress.failures += 1
    }
  }
}

interface Progress {
  request: Content
  /** Failures since the last message. */
  failures: number
  rejections: number
}

/** Yields the changes of one call. Returns the error with which it was lost, or undefined if it has ended. */
async function* readUntilLost(
  connection: Connection,
  command: KnownCommand,
  progress: Progress,
  options: FollowOptions,
): AsyncGenerator<FollowedChange, unknown> {
  try {
    for await (const { change, cursor } of readCall(connection, command, progress.request, options)) {
      const request = { ...progress.request, after: cursor }
      Object.assign(progress, { request, failures: 0, rejections: 0 })
      if (change) yield { change, cursor }
    }
    return undefined
  } catch (error) {
    return error
  }
}

interface CommandEvent {
  readonly change: Change | null
  readonly cursor: string
}

/** Yields the events of one call, until it ends or is silent. A slow consumer slows the host down. */
async function* readCall(
  { client, headers }: Connection,
  command: KnownCommand,
  request: Content,
  { signal, silenceMilliseconds = silenceMillisecondsByDefault }: FollowOptions,
): AsyncGenerator<CommandEvent, void> {
  const { write, read } = codecOf(command)
  const call = client.makeServerStreamRequest(command.path, asIs, read, write(request), await headers())
  // The loop below throws the error. If the consumer has left, it is ignored.
  call.on('error', () => undefined)
  const cancel = () => call.cancel()
  let silenceTimer = setTimeout(cancel, silenceMilliseconds)
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  try {
    for await (const event of call) {
      // The consumer may take any time to process an event.
      clearTimeout(silenceTimer)
      yield event as CommandEvent
      silenceTimer = setTimeout(cancel, silenceMilliseconds)
    }
  } finally {
    clearTimeout(silenceTimer)
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

const asIs = (bytes: Buffer): Buffer => bytes

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'metadata' in error

/** With these codes, the host would reject a retry, too. */
const finalCodes: readonly unknown[] = [
  status.INVALID_ARGUMENT,
  status.PERMISSION_DENIED,
  status.OUT_OF_RANGE,
  status.UNIMPLEMENTED,
]

/** Counts rejected tokens. A single one is not final, because the next call gets a new one. */
function isFinal(error: unknown, progress: { rejections: number }): boolean {
  if (error === undefined) return false
  if (!isServiceError(error)) return true
  if (error.code !== status.UNAUTHENTICATED) return finalCodes.includes(error.code)
  progress.rejections += 1
  return progress.rejections > 1
}
