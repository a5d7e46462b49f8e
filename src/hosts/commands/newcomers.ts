import { hash } from 'node:crypto'
import {
  constants,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import { createBoundedCache } from '../../auth/access-token.ts'
import type { Budgets } from '../../config/budgets.ts'
import { addressKey } from '../../http/addresses.ts'
import { type Budget, type BudgetShare, hasRoom, releaseAll, takeAll } from '../../model/budget.ts'
import { type RepeatedWork, repeat } from '../../model/repeat.ts'
import { forwardedAddress } from './limit-calls.ts'

/** Limits clients that have not presented a valid token yet. */
export interface Newcomers {
  guard(http2Servers: readonly Http2Server[]): void
  /** Called with each stream as soon as its headers arrive. Returns false when the call must be rejected. */
  admit(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean
  /** Called when a token was accepted. The stream, or a direct connection, then no longer counts as a newcomer. */
  release(stream: ServerHttp2Stream): void
  stop(): Promise<void>
}

/**
 * A direct connection is a newcomer until a token was accepted on it. A proxy shares connections between
 * clients, so behind a proxy each stream is a newcomer until its own token was accepted.
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
  const bytes = {
    ofAll: budgets.budget('newcomerBytes'),
    ofAddress: budgets.budget('newcomerBytesOfAddress'),
  }
  const newcomers = new Map<Http2Session, Newcomer>()
  const open = groupByAddress<Http2Session>({
    ofAll: budgets.budget('newcomers'),
    ofAddress: budgets.budget('newcomersOfAddress'),
    onRemoved: closeAbusive,
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
  const countReset = ({ address, session }: Newcomer) => {
    if (newcomers.has(session) && !takeAll(rates.resets(address))) closeAbusive(session)
  }
  let stop: Newcomers['stop'] = async () => undefined
  return {
    guard(http2Servers) {
      for (const http2Server of http2Servers) {
        http2Server.updateSettings({ maxHeaderListSize: headerListBytesMax })
        http2Server.on('session', add)
      }
      const counting = countBytes(newcomers, bytes)
      // An address that sent too much waits until half of its budget is free again.
      const queue = queueConnections(
        http2Servers,
        budgets,
        (address) => bytes.ofAddress.used(address) <= bytes.ofAddress.max / 2,
      )
      stop = async () => void (await Promise.all([queue.stop(), counting.stop()]))
    },
    admit(stream, headers) {
      const newcomer = newcomerOf(stream)
      if (newcomer === undefined) return true
      if (!takeBytes(bytes, newcomer, headerBytesOf(headers))) return false
      stream.once('close', () => !stream.headersSent && countReset(newcomer))
      const isGranted = takeAll(rates.streams(newcomer.address))
      if (isGranted) newcomer.streams += 1
      else countReset(newcomer)
      return isGranted
    },
    release(stream) {
      const newcomer = newcomerOf(stream)
      if (newcomer === undefined) return
      remove(newcomer)
      releaseAll(rates.connections(newcomer.address))
      releaseAll(rates.streams(newcomer.address), newcomer.streams)
    },
    stop: () => stop(),
  }
}

/** Node handles most frames of HTTP/2 without an event, so only the count of bytes read reveals them. */
const countBytes = (newcomers: ReadonlyMap<Http2Session, Newcomer>, bytes: ByteBudgets): RepeatedWork =>
  repeat({ everyMilliseconds: countMilliseconds }, () => {
    for (const newcomer of newcomers.values()) {
      const { session } = newcomer
      if (session.destroyed) continue
      const added = session.socket.bytesRead - newcomer.bytesRead
      newcomer.bytesRead += added
      if (added > 0) takeBytes(bytes, newcomer, added)
    }
  })

interface ByteBudgets {
  readonly ofAll: Budget
  readonly ofAddress: Budget
}

/** Counts the bytes. Closes the connection if they exceed the budget of its address or of all addresses. */
function takeBytes(
  { ofAll, ofAddress }: ByteBudgets,
  { address, session }: Newcomer,
  added: number,
): boolean {
  const isWithinAddress = ofAddress.take(added, address)
  // Fills the budget of the address, so that its next connections wait.
  if (!isWithinAddress) ofAddress.take(Math.floor(ofAddress.max - ofAddress.used(address)), address)
  if (isWithinAddress && ofAll.take(added)) return true
  closeAbusive(session)
  return false
}

/** Counts the decompressed size. One byte may expand to four thousand bytes with the table of HPACK. */
const headerBytesOf = (headers: IncomingHttpHeaders): number =>
  Object.entries(headers).reduce((sum, [name, value = '']) => sum + name.length + String(value).length, 0)

/** The HTTP hosts have the same limit. */
const headerListBytesMax = 16 * 1024

/** A core reads only a few megabytes of the smallest frames in this time. */
const countMilliseconds = 100

function limitStreams(budgets: Budgets, proxies: number): Newcomers {
  const rates = ratesOf(budgets)
  const newcomers = new Map<ServerHttp2Stream, NewStream>()
  // A recently accepted token is admitted even if other clients have used up the budgets of its address.
  const tokens = createBoundedCache<true>({ entriesMax: cachedTokensMax, now: Date.now })
  return {
    guard: () => undefined,
    admit(stream, headers) {
      const forwarded = forwardedAddress(String(headers['x-forwarded-for'] ?? ''), proxies)
      const address = addressKey(forwarded ?? stream.session?.socket.remoteAddress)
      const newcomer = { address, authorization: String(headers.authorization ?? '') }
      newcomers.set(stream, newcomer)
      stream.once('close', () => {
        // A stream whose token was accepted is no longer in the map, and does not count.
        if (!newcomers.delete(stream)) return
        takeAll(rates.streams(address))
        if (!stream.headersSent) takeAll(rates.resets(address))
      })
      const hasRoomLeft = [...rates.streams(address), ...rates.resets(address)].every(hasRoom)
      return hasRoomLeft || tokens.get(digestOf(newcomer)) === true
    },
    release(stream) {
      const newcomer = newcomers.get(stream)
      if (newcomer === undefined) return
      newcomers.delete(stream)
      tokens.set(digestOf(newcomer), true, Date.now() + cacheMilliseconds)
    },
    stop: async () => undefined,
  }
}

interface NewStream {
  readonly address: string
  readonly authorization: string
}

const cachedTokensMax = 10_000
const cacheMilliseconds = 5 * 60_000

/** The cache holds tokens only as hashes. */
const digestOf = ({ authorization }: NewStream): string => hash('sha256', authorization, 'base64')

function ratesOf(budgets: Budgets) {
  const rate =
    (name: 'newcomerConnections' | 'newcomerStreams' | 'newcomerResets') =>
    (address: string): BudgetShare[] => [
      { budget: budgets.budget(`${name}OfAddress`), holder: address },
      { budget: budgets.budget(name) },
    ]
  return {
    connections: rate('newcomerConnections'),
    streams: rate('newcomerStreams'),
    resets: rate('newcomerResets'),
  }
}

const closeAbusive = (session: Http2Session): void =>
  session.destroy(new Error('Too much without a token.'), constants.NGHTTP2_ENHANCE_YOUR_CALM)

export interface ConnectionQueue {
  /** Closes the connections that still wait. */
  stop(): Promise<void>
}

/**
 * Each HTTP/2 connection costs work and memory. Connections above the rate of their address or of the process
 * wait unread, and the addresses take turns.
 */
function queueConnections(
  http2Servers: readonly Http2Server[],
  budgets: Budgets,
  mayEnter: (address: string) => boolean,
): ConnectionQueue {
  const ofAll = { budget: budgets.budget('newcomerConnections') }
  const ofAddress = (address: string) => ({
    budget: budgets.budget('newcomerConnectionsOfAddress'),
    holder: address,
  })
  const queue = openQueue(budgets)
  const mayBeAdmitted = (address: string) => hasRoom(ofAddress(address)) && mayEnter(address)
  const admitNext = (): boolean => {
    const address = hasRoom(ofAll) ? queue.addresses().find(mayBeAdmitted) : undefined
    if (address === undefined) return false
    takeAll([ofAll, ofAddress(address)])
    const next = queue.takeOldest(address)
    if (next?.socket.destroyed === false) next.accept()
    return true
  }
  const admitAll = () => {
    while (admitNext());
  }
  const admitting = repeat({ everyMilliseconds: admitMilliseconds }, admitAll)
  const enqueue = (address: string, connection: WaitingConnection) => {
    const isFirst = !queue.has(address)
    queue.add(address, connection)
    if (isFirst) admitAll()
  }
  for (const http2Server of http2Servers) interceptConnections(http2Server, queue.mayAdd, enqueue)
  return {
    async stop() {
      await admitting.stop()
      for (const { socket } of queue.connections()) socket.destroy()
    },
  }
}

/** Half of the time after which the rate of an address has room for another connection. */
const admitMilliseconds = 50

interface WaitingConnection {
  readonly socket: Socket
  /** Passes the connection to HTTP/2. */
  accept(): void
}

function openQueue(budgets: Budgets) {
  const ofAll = budgets.budget('newcomersWaiting')
  const ofAddress = budgets.budget('newcomersWaitingOfAddress')
  const waiting = groupByAddress<WaitingConnection>({
    ofAll,
    ofAddress,
    onRemoved: ({ socket }) => socket.destroy(),
  })
  return {
    ...waiting,
    mayAdd(address: string): boolean {
      // When the queue is full, only addresses that have no connection in it may add one.
      const max = ofAll.used() < ofAll.max ? ofAddress.max : 1
      if (ofAddress.used(address) < max) return true
      ofAddress.recordRejection()
      return false
    },
  }
}

/**
 * Queues every new connection before HTTP/2 reads from it. `pauseOnConnect` and `blockList` are options of
 * Node's servers that the gRPC library does not pass on. Node reads them for each connection, and checks the
 * list before it creates a socket.
 */
function interceptConnections(
  http2Server: Http2Server,
  mayConnect: (address: string) => boolean,
  enqueue: (address: string, connection: WaitingConnection) => void,
): void {
  const blockList = { check: (address: string) => !mayConnect(addressKey(address)) }
  Object.assign(http2Server, { pauseOnConnect: true, blockList })
  const [accept] = http2Server.listeners('connection')
  if (accept === undefined) throw new Error('HTTP/2 servers listen to connections in another way now.')
  http2Server.removeListener('connection', accept as () => void)
  http2Server.on('connection', (socket: Socket) => {
    // A waiting client may disconnect. Without a listener, that would end the process.
    socket.on('error', () => undefined)
    enqueue(addressKey(socket.remoteAddress), {
      socket,
      accept() {
        // The socket was paused when it was accepted. This makes it read again.
        socket.read(0)
        accept.call(http2Server, socket)
      },
    })
  })
}

/** Groups connections by address. Each group is in the order of arrival. */
export interface AddressGroups<Connection> {
  /**
   * Adds a connection. If a budget is exhausted, first removes the oldest connection of this address, or of
   * the address with the most connections.
   */
  add(address: string, connection: Connection): void
  delete(address: string, connection: Connection): void
  /** Removes and returns the oldest connection of an address, and moves the address behind all others. */
  takeOldest(address: string): Connection | undefined
  has(address: string): boolean
  addresses(): readonly string[]
  connections(): readonly Connection[]
}

interface Limits<Connection> {
  readonly ofAll: Budget
  readonly ofAddress: Budget
  readonly onRemoved: (connection: Connection) => void
}

function groupByAddress<Connection>({
  ofAll,
  ofAddress,
  onRemoved,
}: Limits<Connection>): AddressGroups<Connection> {
  const groups = new Map<string, Set<Connection>>()
  const budgetsOf = (address: string) => [{ budget: ofAddress, holder: address }, { budget: ofAll }]
  const remove = (address: string, connection: Connection): void => {
    const group = groups.get(address)
    if (!group?.delete(connection)) return
    releaseAll(budgetsOf(address))
    if (group.size === 0) groups.delete(address)
  }
  const takeOldest = (address: string): Connection | undefined => {
    const group = groups.get(address)
    if (!group) return undefined
    groups.delete(address)
    groups.set(address, group)
    const [oldest] = group
    if (oldest !== undefined) remove(address, oldest)
    return oldest
  }
  const addressWithMost = (): string => {
    let largestAddress = ''
    let size = 0
    for (const [address, group] of groups) {
      if (group.size <= size) continue
      largestAddress = address
      size = group.size
    }
    return largestAddress
  }
  const makeRoom = (address: string): boolean => {
    const isFull = ofAddress.used(address) >= ofAddress.max
    const removed = takeOldest(isFull ? address : addressWithMost())
    if (removed !== undefined) onRemoved(removed)
    return removed !== undefined
  }
  return {
    add(address, connection) {
      while (!takeAll(budgetsOf(address))) if (!makeRoom(address)) return onRemoved(connection)
      const group = groups.get(address) ?? new Set()
      groups.set(address, group.add(connection))
    },
    delete: remove,
    takeOldest,
    has: (address) => groups.has(address),
    addresses: () => [...groups.keys()],
    connections: () => [...groups.values()].flatMap((group) => [...group]),
  }
}
