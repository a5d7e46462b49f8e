import type { Server, Socket } from 'node:net'
import type { Budget } from '../model/budget.ts'
import { addressKey } from './addresses.ts'

interface Countable {
  readonly event: string
  readonly outcome?: string
}

export interface EventCount {
  readonly event: string
  readonly outcome: string
  count: number
}

export interface CountedEvents<Event> {
  log(event: Event): void
  counts(): Iterable<Readonly<EventCount>>
}

/** The same log, counted by event and outcome: sign-ins that were right, wrong or locked among them. */
export function countEvents<Event extends Countable>(log: (event: Event) => void): CountedEvents<Event> {
  const counts = new Map<string, EventCount>()
  return {
    log(event) {
      const { event: name, outcome = '' } = event
      const key = `${name} ${outcome}`
      const counted = counts.get(key) ?? { event: name, outcome, count: 0 }
      counted.count += 1
      counts.set(key, counted)
      log(event)
    },
    counts: () => counts.values(),
  }
}

/** The server itself closes what is over its budget; the budget counts, for each server its own. */
export function countConnections(server: Pick<Server, 'on' | 'maxConnections'>, connections: Budget): void {
  server.maxConnections = connections.max
  server.on('drop', () => connections.noteRefusal())
  server.on('connection', (socket) => {
    if (connections.take(1, server)) socket.once('close', () => connections.giveBack(1, server))
  })
}

/** A connection beyond what its address may have open is closed as soon as it comes. */
export function limitAddresses(server: Pick<Server, 'prependListener'>, ofAddress: Budget): void {
  server.prependListener('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress)
    if (!ofAddress.take(1, address)) return void socket.destroy()
    socket.once('close', () => ofAddress.giveBack(1, address))
  })
}
