import { status } from '@grpc/grpc-js'
import type { Budgets } from '../../config/budgets.ts'
import { limitConcurrency, releaseAll, takeAll } from '../../model/budget.ts'
import { Problem } from '../../model/problem.ts'
import { messageBytesMax } from './call-error.ts'
import { baseCallOf, type InnerCall } from './call-log.ts'

export interface PendingRequests {
  /** Counts every byte of this call's request from now on, compressed and uncompressed. */
  countBytes(call: InnerCall, accountId: string): void
}

/**
 * Counts the bytes of requests per connection, account and process. When the process has no room left, the
 * largest unfinished request is rejected.
 */
export function createPendingRequests(budgets: Budgets): PendingRequests {
  const perProcess = budgets.budget('commandBytes')
  const unfinished = new Set<PendingRequest>()
  const decompressLimited = limitConcurrency({
    atOnce: budgets.budget('commandUnpacking'),
    waiting: budgets.budget('commandUnpackingWaiting'),
    retryAfterSeconds: 1,
  })
  /**
   * Called after the budgets of the connection and the account have been taken, so that no other request is
   * rejected for a request that these budgets would reject anyway.
   */
  const takeFromProcess = (bytes: number, requester: PendingRequest): boolean => {
    while (perProcess.used() + bytes > perProcess.max) {
      const largest = largestOf(unfinished)
      if (!largest || largest.heldBytes() <= requester.heldBytes() + bytes) break
      perProcess.recordRejection()
      largest.reject()
    }
    return perProcess.take(bytes)
  }
  return {
    countBytes(call, accountId) {
      const base = baseCallOf(call)
      const ownBudgets = [
        { budget: budgets.budget('commandBytesPerConnection'), holder: base.stream.session },
        { budget: budgets.budget('commandBytesPerAccount'), holder: accountId },
      ]
      const pending = createPendingRequest({
        take(bytes) {
          if (!takeAll(ownBudgets, bytes)) return false
          if (takeFromProcess(bytes, pending)) return true
          releaseAll(ownBudgets, bytes)
          return false
        },
        release: (bytes) => releaseAll([...ownBudgets, { budget: perProcess }], bytes),
        onRejected() {
          unfinished.delete(pending)
          call.sendStatus(noRoom)
        },
      })
      unfinished.add(pending)
      base.stream.once('end', () => unfinished.delete(pending))
      base.stream.once('close', () => {
        unfinished.delete(pending)
        pending.discard()
      })
      const read = base.handleDataFrame.bind(base)
      base.handleDataFrame = (data) => {
        if (pending.add(data.length)) read(compact(data))
      }
      const decompress = base.decompressMessage.bind(base)
      base.decompressMessage = (message, encoding) =>
        encoding === 'identity'
          ? decompress(message, encoding)
          : decompressLimited(async () => {
              // Checked first, because decompressing a request without room for it is wasted work.
              if (!pending.hasRoomFor(messageBytesMax)) throw noRoom
              const decompressed = await decompress(message, encoding)
              if (!pending.add(decompressed.length)) throw noRoom
              return decompressed
            }).catch((error: unknown) => {
              throw error instanceof Problem ? noRoom : error
            })
    },
  }
}

/** A request whose bytes are counted. */
interface PendingRequest {
  heldBytes(): number
  hasRoomFor(bytes: number): boolean
  /** Returns false if the request was rejected, which this call may cause. */
  add(bytes: number): boolean
  reject(): void
  discard(): void
}

interface PendingRequestOptions {
  take(bytes: number): boolean
  release(bytes: number): void
  onRejected(): void
}

function createPendingRequest({ take, release, onRejected }: PendingRequestOptions): PendingRequest {
  let heldBytes = 0
  let hasEnded = false
  const discard = () => {
    hasEnded = true
    release(heldBytes)
    heldBytes = 0
  }
  const reject = () => {
    if (hasEnded) return
    discard()
    onRejected()
  }
  return {
    heldBytes: () => heldBytes,
    hasRoomFor(bytes) {
      const hasRoom = !hasEnded && take(bytes)
      if (hasRoom) release(bytes)
      return hasRoom
    },
    discard,
    reject,
    add(bytes) {
      if (hasEnded) return false
      if (take(bytes)) heldBytes += bytes
      else reject()
      return !hasEnded
    },
  }
}

const noRoom = {
  code: status.RESOURCE_EXHAUSTED,
  details: 'Too many bytes of requests wait here. Try again later.',
}

function largestOf(arriving: ReadonlySet<PendingRequest>): PendingRequest | undefined {
  let largest: PendingRequest | undefined
  for (const pending of arriving) if (!largest || pending.heldBytes() > largest.heldBytes()) largest = pending
  return largest
}

/** Copies a small slice of a larger read, because a slice keeps the whole buffer in memory. */
const compact = (data: Buffer): Buffer =>
  data.length * 2 < data.buffer.byteLength ? Buffer.from(data) : data
