import { hash } from 'node:crypto'
import {
  constants,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { createBoundedCache } from '../../authentication/bounded-cache.ts'
import type { Budgets } from '../../configuration/budgets.ts'
import { addressKey } from '../../http/address-key.ts'
import { type Budget, giveBackAll, hasRoom, type Part, takeAll } from '../../model/budget.ts'
import { type Repetition, repeat } from '../../schedule/repeat.ts'
import { groupByAddress } from './group-by-address.ts'
import { forwardedAddress } from './limit-calls.ts'
import { takeTurns } from './take-turns.ts'

/** Clients that have not shown a token yet. */
export interface Newcomers {
  guard(http2Servers: readonly Http2Server[]): void
  /** Called with each stream as soon as its headers are there. Returns false when the call must be rejected. */
  admit(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean
  /** A token was accepted on this stream, so what was taken for it is given back. */
  accept(stream: ServerHttp2Stream): void
  stop(): Promise<void>
}

/**
 * Without a proxy, a connection is a newcomer until a token was accepted on it. A proxy shares and keeps connections, so behind one
 * each stream is a newcomer until its own token was accepted, and counts for the address that the proxy saw.
 */
export const limitNewcomers = (budgets: Budgets, proxies: number): Newcomers =>
  proxies === 0 ? limitConnections(budgets) : limitStreams(budgets, proxies)

interface Newcomer {
  readonly address: string
  readonly session: Http2Session
  streams: number
  bytesRead: number
}

function limitConnections(budgets: Budgets): Newcomers {
  const rates = ratesOf(budgets)
  const bytes = budgets.budget('newcomerBytesOfAddress')
  const newcomers = new Map<Http2Session, Newcomer>()
  const open = groupByAddress<Http2Session>({
    ofAll: budgets.budget('newcomers'),
    ofAddress: budgets.budget('newcomersOfAddress'),
    onRemoved: hangUp,
  })
  const newcomerOf = ({ session }: ServerHttp2Stream) => session && newcomers.get(session)
  const remove = ({ address, session }: Newcomer) => {
    newcomers.delete(session)
    open.delete(address, session)
  }
  const add = (session: Http2Session) => {
    const address = addressKey(session.socket.remoteAddress)
    const newcomer = { address, session, streams: 0, bytesRead: 0 }
    newcomers.set(session, newcomer)
    session.once('close', () => remove(newcomer))
    open.add(address, session)
  }
  const waste = ({ address, session }: Newcomer) => {
    if (newcomers.has(session) && !takeAll(rates.resets(address))) hangUp(session)
  }
  let stop: Newcomers['stop'] = async () => undefined
  return {
    guard(http2Servers) {
      for (const http2Server of http2Servers) http2Server.on('session', add)
      const counting = countBytes(newcomers, bytes)
      // An address that sent too many waits until half of its budget has come back.
      const turns = takeTurns(http2Servers, budgets, (address) => bytes.used(address) <= bytes.max / 2)
      stop = async () => void (await Promise.all([turns.stop(), counting.stop()]))
    },
    admit(stream) {
      const newcomer = newcomerOf(stream)
      if (newcomer === undefined) return true
      stream.once('close', () => !stream.headersSent && waste(newcomer))
      const isGranted = takeAll(rates.streams(newcomer.address))
      if (isGranted) newcomer.streams += 1
      else waste(newcomer)
      return isGranted
    },
    accept(stream) {
      const newcomer = newcomerOf(stream)
      if (newcomer === undefined) return
      remove(newcomer)
      giveBackAll(rates.connections(newcomer.address))
      giveBackAll(rates.streams(newcomer.address), newcomer.streams)
    },
    stop: () => stop(),
  }
}

/** Node handles most frames of HTTP/2 without an event, so the count of bytes read is all that shows them. */
const countBytes = (newcomers: ReadonlyMap<Http2Session, Newcomer>, bytes: Budget): Repetition =>
  repeat({ everyMilliseconds: countMilliseconds }, () => {
    for (const newcomer of newcomers.values()) {
      const { address, session } = newcomer
      if (session.destroyed) continue
      const added = session.socket.bytesRead - newcomer.bytesRead
      newcomer.bytesRead += added
      if (added === 0 || bytes.take(added, address)) continue
      bytes.take(Math.floor(bytes.max - bytes.used(address)), address)
      hangUp(session)
    }
  })

/** A core reads some megabytes of the smallest frames in that time. */
const countMilliseconds = 100

function limitStreams(budgets: Budgets, proxies: number): Newcomers {
  const rates = ratesOf(budgets)
  const newcomers = new Map<ServerHttp2Stream, Visit>()
  // A stranger may share its address with clients that are known.
  const tokens = createBoundedCache<true>({ entriesMax: rememberedTokensMax, now: Date.now })
  return {
    guard: () => undefined,
    admit(stream, headers) {
      const forwarded = forwardedAddress(String(headers['x-forwarded-for'] ?? ''), proxies)
      const address = addressKey(forwarded ?? stream.session?.socket.remoteAddress)
      const visit = { address, authorization: String(headers.authorization ?? '') }
      newcomers.set(stream, visit)
      stream.once('close', () => {
        if (!newcomers.delete(stream)) return
        takeAll(rates.streams(address))
        if (!stream.headersSent) takeAll(rates.resets(address))
      })
      const isFine = [...rates.streams(address), ...rates.resets(address)].every(hasRoom)
      return isFine || tokens.get(digestOf(visit)) === true
    },
    accept(stream) {
      const visit = newcomers.get(stream)
      if (visit === undefined) return
      newcomers.delete(stream)
      tokens.set(digestOf(visit), true, Date.now() + rememberedMilliseconds)
    },
    stop: async () => undefined,
  }
}

interface Visit {
  readonly address: string
  readonly authorization: string
}

const rememberedTokensMax = 10_000
const rememberedMilliseconds = 5 * 60_000

/** No token stays in the memory as it is. */
const digestOf = ({ authorization }: Visit): string => hash('sha256', authorization, 'base64')

function ratesOf(budgets: Budgets) {
  const rate =
    (ofAll: 'newcomerConnections' | 'newcomerStreams' | 'newcomerResets') =>
    (address: string): Part[] => [
      { budget: budgets.budget(`${ofAll}OfAddress`), holder: address },
      { budget: budgets.budget(ofAll) },
    ]
  return {
    connections: rate('newcomerConnections'),
    streams: rate('newcomerStreams'),
    resets: rate('newcomerResets'),
  }
}

const hangUp = (session: Http2Session): void =>
  session.destroy(new Error('Too much without a token.'), constants.NGHTTP2_ENHANCE_YOUR_CALM)
