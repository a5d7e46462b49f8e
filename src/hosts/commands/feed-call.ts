import { Metadata, type ServerWritableStream } from '@grpc/grpc-js'
import type { FeedWire } from '../../live/feed-stream.ts'
import { overloaded, Problem } from '../../model/problem.ts'
import type { Content } from './message.ts'

export type FeedCall = ServerWritableStream<Buffer, Buffer>

interface FeedCallOptions {
  readonly write: (content: Content) => Buffer
  /** How long a client may take nothing of what was sent. */
  readonly takeMilliseconds: number
  /** Exactly once; nothing where the client gave it up. */
  readonly onEnd: (refusal?: Problem) => void
}

/** Sent and not taken yet, beyond which a stream waits for its reader: the largest record several times. */
const untakenBytesMax = 64 * 1024

/** The feed as the messages of one call. */
export const feedCall = (call: FeedCall, { write, takeMilliseconds, onEnd }: FeedCallOptions): FeedWire => ({
  eventOf: (change, cursor) => write({ change, cursor }),
  open({ onReady, onClose }) {
    let isClosed = false
    let isNewerWanted = false
    let untakenBytes = 0
    let patience: NodeJS.Timeout | undefined
    const close = (refusal?: Problem) => {
      if (isClosed) return
      isClosed = true
      clearTimeout(patience)
      onClose()
      onEnd(refusal)
    }
    const waitForReader = () => {
      clearTimeout(patience)
      if (untakenBytes > 0 && !isClosed)
        patience = setTimeout(() => close(tooSlow(takeMilliseconds)), takeMilliseconds)
    }
    const send = (message: Buffer) => {
      if (isClosed) return
      untakenBytes += message.length
      if (untakenBytes === message.length) waitForReader()
      call.write(message, () => {
        untakenBytes -= message.length
        waitForReader()
        if (isClosed || !isNewerWanted || untakenBytes >= untakenBytesMax) return
        isNewerWanted = false
        onReady()
      })
    }
    call.once('cancelled', () => close())
    // Given up while its first page was read.
    if (call.cancelled) queueMicrotask(() => close())
    // So that the client knows before the first change that it is listened to.
    else call.sendMetadata(new Metadata())
    return {
      send(event) {
        isNewerWanted = untakenBytes >= untakenBytesMax
        if (!isNewerWanted) send(event)
        return !isNewerWanted
      },
      beat: (cursor) => send(write({ cursor })),
      close,
      sendAway: () => close(stops()),
    }
  },
})

const tooSlow = (milliseconds: number) =>
  new Problem(
    'busy',
    `What was sent was not taken for ${milliseconds / 1000} seconds. Go on behind the last cursor.`,
    { retryAfterSeconds: 1 },
  )

const stops = () => overloaded('The host stops.', { retryAfterSeconds: 1 })
