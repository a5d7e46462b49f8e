import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { answerBrokenConnection } from '../../http/broken-requests.ts'
import { repeat } from '../../model/repeat.ts'
import { beginConnection, detach, type SmallConnection, type SmallServerState } from './small-connection.ts'

export interface SmallServerOptions
  extends Pick<SmallServerState, 'readHead' | 'aheadBytes' | 'aheadBytesMax'> {
  /** In milliseconds; the same limits as those of the general server. */
  readonly headersTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  readonly silentTimeout: number
}

export interface SmallServer {
  /** Makes every further response the last one of its connection. */
  drain(): void
  /** Closes the connections that wait for a request. */
  closeIdle(): void
  closeAll(): void
}

/**
 * Sees connections before the general server. A request that arrived whole with a head of plain headers is
 * handled on the socket itself, for a third of the general server's cost. For anything else the connection is
 * handed to the general server, from that request's first byte on: so no request is parsed in two ways, and
 * no partial request is kept here.
 */
export function installBefore(general: Server, options: SmallServerOptions): SmallServer {
  const [serveGenerally, ...others] = general.listeners('connection')
  if (serveGenerally === undefined || others.length > 0)
    throw new Error('The server has unexpected connection listeners.')
  const open = new Set<SmallConnection>()
  const state: SmallServerState = {
    ...options,
    open,
    date: dateNow(),
    isDraining: false,
    handOver: (socket) => void serveGenerally.call(general, socket),
    keepAliveSeconds: Math.floor(options.keepAliveTimeout / 1000),
  }
  general.removeAllListeners('connection')
  general.on('connection', (socket: Socket) => beginConnection(state, socket))
  const repetitions = [
    repeat({ everyMilliseconds: dateMilliseconds }, () => {
      state.date = dateNow()
    }),
    repeat({ everyMilliseconds: options.connectionsCheckingInterval }, () => closeSilent(state, options)),
  ]
  general.once('close', () => {
    for (const repetition of repetitions) void repetition.stop()
  })
  return {
    drain() {
      state.isDraining = true
    },
    closeIdle() {
      for (const { socket, isBusy } of open) if (!isBusy) socket.destroy()
    },
    closeAll() {
      for (const { socket } of open) socket.destroy()
    },
  }
}

/** A client that sends nothing gets a timeout response; one that stops sending or reading is cut off. */
function closeSilent(state: SmallServerState, options: SmallServerOptions): void {
  const now = performance.now()
  for (const connection of state.open) {
    const { socket, isBusy, isNew, since } = connection
    const silence = now - since
    if (isNew && silence > options.headersTimeout) {
      detach(state, connection)
      socket.on('error', () => socket.destroy())
      answerBrokenConnection(nothingCame, socket)
    } else if (!isNew && silence > (isBusy ? options.silentTimeout : options.keepAliveTimeout)) {
      socket.destroy()
    }
  }
}

/** The error that the general server reports in this case. */
const nothingCame = Object.assign(new Error('No request came.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** The Date header has a resolution of one second. */
const dateMilliseconds = 1000

const dateNow = () => new Date().toUTCString()
