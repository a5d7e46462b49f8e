import { type Client, type Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Content } from '../../../src/hosts/commands/message.ts'
import type { Followed, FollowOptions } from './call.ts'
import type { Change } from './command-types.ts'
import type { KnownCommand } from './known-commands.ts'
import { codecOf } from './message-codec.ts'
import { backoffMilliseconds, pauseFor } from './send.ts'

interface Connection {
  readonly client: Client
  /** They have a new token when the old one has expired. */
  headers(): Promise<Metadata>
  rejectionOf(error: ServiceError): Error
}

/** Twice the host's heartbeat of 15 seconds, and a little more. */
const silenceMillisecondsByDefault = 35_000

/** Follows a stream over as many calls as it takes; each begins after the last cursor of the one before. */
export function followOf(connection: Connection, command: KnownCommand) {
  return async function* (
    request: Content = {},
    options: FollowOptions = {},
  ): AsyncGenerator<Followed, void> {
    const { signal, onReconnect } = options
    const place: Place = { request, failures: 0, rejected: 0 }
    while (!signal?.aborted) {
      const reason = yield* untilLost(connection, command, place, options)
      if (signal?.aborted) return
      if (isFinal(reason, place)) throw isServiceError(reason) ? connection.rejectionOf(reason) : reason
      onReconnect?.(reason)
      await pauseFor(backoffMilliseconds(place.failures), signal).catch(() => undefined)
      place.failures += 1
    }
  }
}

interface Place {
  request: Content
  /** Counted since the last message. */
  failures: number
  rejected: number
}

/** The changes of one call; the answer is why it was lost. */
async function* untilLost(
  connection: Connection,
  command: KnownCommand,
  place: Place,
  options: FollowOptions,
): AsyncGenerator<Followed, unknown> {
  try {
    for await (const { change, cursor } of open(connection, command, place.request, options)) {
      const request = { ...place.request, after: cursor }
      Object.assign(place, { request, failures: 0, rejected: 0 })
      if (change) yield { change, cursor }
    }
    return undefined
  } catch (error) {
    return error
  }
}

interface Event {
  readonly change: Change | null
  readonly cursor: string
}

/** The events of one call, until it ends or falls silent. A slow reader slows the host down. */
async function* open(
  { client, headers }: Connection,
  command: KnownCommand,
  request: Content,
  { signal, silenceMilliseconds = silenceMillisecondsByDefault }: FollowOptions,
): AsyncGenerator<Event, void> {
  const { write, read } = codecOf(command)
  const call = client.makeServerStreamRequest(command.path, asIs, read, write(request), await headers())
  // A reader who has left does not learn why it ended.
  call.on('error', () => undefined)
  const cancel = () => call.cancel()
  let silence = setTimeout(cancel, silenceMilliseconds)
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  try {
    for await (const event of call) {
      // Not while the loop is busy with what it got.
      clearTimeout(silence)
      yield event as Event
      silence = setTimeout(cancel, silenceMilliseconds)
    }
  } finally {
    clearTimeout(silence)
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

const asIs = (bytes: Buffer): Buffer => bytes

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'metadata' in error

/** A retry would be rejected again. */
const finalCodes: readonly unknown[] = [
  status.INVALID_ARGUMENT,
  status.PERMISSION_DENIED,
  status.OUT_OF_RANGE,
  status.UNIMPLEMENTED,
]

/** An expired token is renewed once. */
function isFinal(error: unknown, place: { rejected: number }): boolean {
  if (error === undefined) return false
  if (!isServiceError(error)) return true
  if (error.code !== status.UNAUTHENTICATED) return finalCodes.includes(error.code)
  place.rejected += 1
  return place.rejected > 1
}
