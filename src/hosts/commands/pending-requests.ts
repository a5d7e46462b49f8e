import { status } from '@grpc/grpc-js'
import { limitConcurrency } from '../../accounts/passwords.ts'
import type { Budgets } from '../../config/budgets.ts'
import { releaseAll, takeAll } from '../../model/budget.ts'
import { Problem } from '../../model/problem.ts'
import { messageBytesMax } from './call-error.ts'
import { baseCallOf, type InnerCall } from './call-log.ts'

export interface PendingRequests {
  /** Counts every byte of this call's request from now on, compressed and uncompressed. */
  count(call: InnerCall, accountId: string): void
}

/**
 * Counts the bytes of requests per connection, account and process. When the process has no room left, the largest request that
 * is still arriving is rejected, so that large unfinished requests cannot keep smaller ones out.
 */
export function createPendingRequests(budgets: Budgets): PendingRequests {
  const perProcess = budgets.budget('commandBytes')
  const arriving = new Set<Pending>()
  const unpackInTurn = limitConcurrency({
    atOnce: budgets.budget('commandUnpacking'),
    waiting: budgets.budget('commandUnpackingWaiting'),
    retryAfterSeconds: 1,
  })
  /**
   * Checked last, so that no request is rejected in favour of one that its own connection or account has no
   * room for.
   */
  const takeOfProcess = (bytes: number, asker: Pending): boolean => {
    while (perProcess.used() + bytes > perProcess.max) {
      const largest = largestOf(arriving)
      if (!largest || largest.keptBytes() <= asker.keptBytes() + bytes) break
      perProcess.recordRejection()
      largest.reject()
    }
    return perProcess.take(bytes)
  }
  return {
    count(call, accountId) {
      const base = baseCallOf(call)
      const own = [
        { budget: budgets.budget('commandBytesPerConnection'), holder: base.stream.session },
        { budget: budgets.budget('commandBytesPerAccount'), holder: accountId },
      ]
      const pending = openPending({
        take(bytes) {
          if (!takeAll(own, bytes)) return false
          if (takeOfProcess(bytes, pending)) return true
          releaseAll(own, bytes)
          return false
        },
        release: (bytes) => releaseAll([...own, { budget: perProcess }], bytes),
        onRejected() {
          arriving.delete(pending)
          call.sendStatus(noRoom)
        },
      })
      arriving.add(pending)
      base.stream.once('end', () => arriving.delete(pending))
      base.stream.once('close', () => {
        arriving.delete(pending)
        pending.discard()
      })
      const read = base.handleDataFrame.bind(base)
      base.handleDataFrame = (data) => {
        if (pending.keep(data.length)) read(withoutNeighbours(data))
      }
      const unpack = base.decompressMessage.bind(base)
      base.decompressMessage = (message, encoding) =>
        encoding === 'identity'
          ? unpack(message, encoding)
          : unpackInTurn(async () => {
              // Checked first, because decompressing a request without room for it is wasted work.
              if (!pending.hasRoomFor(messageBytesMax)) throw noRoom
              const unpacked = await unpack(message, encoding)
              if (!pending.keep(unpacked.length)) throw noRoom
              return unpacked
            }).catch((error: unknown) => {
              throw error instanceof Problem ? noRoom : error
            })
    },
  }
}

/** A request whose bytes are counted. */
interface Pending {
  keptBytes(): number
  hasRoomFor(bytes: number): boolean
  /** Returns false if the request was rejected, which this call may cause. */
  keep(bytes: number): boolean
  reject(): void
  discard(): void
}

interface Room {
  take(bytes: number): boolean
  release(bytes: number): void
  onRejected(): void
}

function openPending({ take, release, onRejected }: Room): Pending {
  let keptBytes = 0
  let isDone = false
  const discard = () => {
    isDone = true
    release(keptBytes)
    keptBytes = 0
  }
  const reject = () => {
    if (isDone) return
    discard()
    onRejected()
  }
  return {
    keptBytes: () => keptBytes,
    hasRoomFor(bytes) {
      const hasRoom = !isDone && take(bytes)
      if (hasRoom) release(bytes)
      return hasRoom
    },
    discard,
    reject,
    keep(bytes) {
      if (isDone) return false
      if (take(bytes)) keptBytes += bytes
      else reject()
      return !isDone
    },
  }
}

const noRoom = {
  code: status.RESOURCE_EXHAUSTED,
  details: 'Too many bytes of requests wait here. Try again later.',
}

function largestOf(arriving: ReadonlySet<Pending>): Pending | undefined {
  let largest: Pending | undefined
  for (const pending of arriving) if (!largest || pending.keptBytes() > largest.keptBytes()) largest = pending
  return largest
}

/** A slice keeps the whole buffer of a larger read in memory, so a small one is copied. */
const withoutNeighbours = (data: Buffer): Buffer =>
  data.length * 2 < data.buffer.byteLength ? Buffer.from(data) : data
