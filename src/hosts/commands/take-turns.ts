import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import type { Budgets } from '../../configuration/budgets.ts'
import { addressKey } from '../../http/address-key.ts'
import { hasRoom, takeAll } from '../../model/budget.ts'
import { repeat } from '../../schedule/repeat.ts'
import { groupByAddress } from './group-by-address.ts'

export interface Turns {
  /** Closes the connections that still wait. */
  stop(): Promise<void>
}

/**
 * HTTP/2 reads, answers and keeps something for every connection. Those that come faster than their address or the process may have
 * new ones wait before that, unread, and the addresses take turns: a flood delays its own address only.
 */
export function takeTurns(
  http2Servers: readonly Http2Server[],
  budgets: Budgets,
  mayEnter: (address: string) => boolean,
): Turns {
  const ofAll = { budget: budgets.budget('newcomerConnections') }
  const ofAddress = (address: string) => ({
    budget: budgets.budget('newcomerConnectionsOfAddress'),
    holder: address,
  })
  const queue = openQueue(budgets)
  const hasTurn = (address: string) => hasRoom(ofAddress(address)) && mayEnter(address)
  const letOneIn = (): boolean => {
    const address = hasRoom(ofAll) ? queue.addresses().find(hasTurn) : undefined
    if (address === undefined) return false
    takeAll([ofAll, ofAddress(address)])
    const next = queue.takeOldest(address)
    if (next?.socket.destroyed === false) next.accept()
    return true
  }
  const takeTurn = () => {
    while (letOneIn());
  }
  const turns = repeat({ everyMilliseconds: turnMilliseconds }, takeTurn)
  const arrive = (address: string, arrival: Arrival) => {
    const isFirst = !queue.has(address)
    queue.add(address, arrival)
    if (isFirst) takeTurn()
  }
  for (const http2Server of http2Servers) interceptConnections(http2Server, queue.mayAdd, arrive)
  return {
    async stop() {
      await turns.stop()
      for (const { socket } of queue.connections()) socket.destroy()
    },
  }
}

/** Half of the time in which the rate of an address has room for one more. */
const turnMilliseconds = 50

interface Arrival {
  readonly socket: Socket
  /** Hands the connection to HTTP/2. */
  accept(): void
}

function openQueue(budgets: Budgets) {
  const ofAll = budgets.budget('newcomersWaiting')
  const ofAddress = budgets.budget('newcomersWaitingOfAddress')
  const waiting = groupByAddress<Arrival>({
    ofAll,
    ofAddress,
    onRemoved: ({ socket }) => socket.destroy(),
  })
  return {
    ...waiting,
    mayAdd(address: string): boolean {
      // When the queue is full, an address that has a place in it leaves room for others.
      const max = ofAll.used() < ofAll.max ? ofAddress.max : 1
      if (ofAddress.used(address) < max) return true
      ofAddress.noteRefusal()
      return false
    },
  }
}

/**
 * Both are options of Node's servers which the gRPC library does not pass on, and the server looks at them with each connection. Its
 * list of blocked addresses is asked before a socket is made.
 */
function interceptConnections(
  http2Server: Http2Server,
  mayArrive: (address: string) => boolean,
  arrive: (address: string, arrival: Arrival) => void,
): void {
  const blockList = { check: (address: string) => !mayArrive(addressKey(address)) }
  Object.assign(http2Server, { pauseOnConnect: true, blockList })
  const [accept] = http2Server.listeners('connection')
  if (accept === undefined) throw new Error('HTTP/2 servers listen to connections in another way now.')
  http2Server.removeListener('connection', accept as () => void)
  http2Server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    arrive(addressKey(socket.remoteAddress), {
      socket,
      accept() {
        socket.read(0)
        accept.call(http2Server, socket)
      },
    })
  })
}
