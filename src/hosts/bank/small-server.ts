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
  /** From now on every answer is the last one of its connection. */
  drain(): void
  /** Those that wait for a request. */
  closeIdle(): void
  closeAll(): void
}

/**
 * Reads connections before the general server does. A request that arrived whole, with a head of plain headers, is answered on
 * the socket itself, for a third of what the general server costs. Anything else is handed to the general server from its
 * first byte on, with the rest of its connection: so no request is read in two ways, and none that arrived in part is kept here.
 */
export function standBefore(general: Server, options: SmallServerOptions): SmallServer {
  const [serveGenerally, ...others] = general.listeners('connection')
  if (serveGenerally === undefined || others.length > 0) throw new Error('The server listens in another way.')
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

/** A client that sends nothing gets a refusal; one that sends no more, or takes no answer, is cut off. */
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

/** What the general server says of it. */
const nothingCame = Object.assign(new Error('No request came.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** What an answer's date is exact to. */
const dateMilliseconds = 1000

const dateNow = () => new Date().toUTCString()
