import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { answerBrokenConnection } from '../../http/broken-requests.ts'
import { repeat } from '../../model/repeat.ts'
import { beginConnection, detach, type FastConnection, type FastPathState } from './fast-connection.ts'

export interface FastPathOptions
  extends Pick<FastPathState, 'parseHead' | 'pipelinedBytes' | 'pipelinedBytesMax'> {
  // The timeouts are in milliseconds, and the same as those of the general server.
  readonly headersTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  /** Limits how long both sides may be silent while a request is in progress. */
  readonly inactivityTimeout: number
}

export interface FastPath {
  /** Makes every further response the last one of its connection. */
  drain(): void
  /** Closes the connections that wait for a request. */
  closeIdle(): void
  closeAll(): void
}

/**
 * Handles connections before the general server does. A complete request whose headers `parseHead` knows is handled on the
 * socket itself, at a third of the cost. For anything else the connection passes to the general server, from the first byte
 * of that request on: no request is parsed in two ways, and no partial request is kept here.
 */
export function installFastPath(general: Server, options: FastPathOptions): FastPath {
  const [generalListener, ...others] = general.listeners('connection')
  if (generalListener === undefined || others.length > 0)
    throw new Error('The server has unexpected connection listeners.')
  const open = new Set<FastConnection>()
  const state: FastPathState = {
    ...options,
    open,
    date: dateHeaderNow(),
    isDraining: false,
    handOver: (socket) => void generalListener.call(general, socket),
    keepAliveSeconds: Math.floor(options.keepAliveTimeout / 1000),
  }
  general.removeAllListeners('connection')
  general.on('connection', (socket: Socket) => beginConnection(state, socket))
  const jobs = [
    repeat({ everyMilliseconds: dateHeaderMilliseconds }, () => {
      state.date = dateHeaderNow()
    }),
    repeat({ everyMilliseconds: options.connectionsCheckingInterval }, () => closeInactive(state, options)),
  ]
  general.once('close', () => {
    for (const repetition of jobs) void repetition.stop()
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

function closeInactive(state: FastPathState, options: FastPathOptions): void {
  const now = performance.now()
  for (const connection of state.open) {
    const { socket, isBusy, isNew, lastActiveAt } = connection
    const inactiveMilliseconds = now - lastActiveAt
    // No request has arrived yet: the client gets a timeout response.
    if (isNew && inactiveMilliseconds > options.headersTimeout) {
      detach(state, connection)
      socket.on('error', () => socket.destroy())
      answerBrokenConnection(requestTimeoutError, socket)
    } else if (
      !isNew &&
      inactiveMilliseconds > (isBusy ? options.inactivityTimeout : options.keepAliveTimeout)
    ) {
      // Between two requests, or while one is in progress: the client is cut off.
      socket.destroy()
    }
  }
}

/** The error that the general server reports in this case. */
const requestTimeoutError = Object.assign(new Error('No request came.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** The Date header is cached, because it has a resolution of one second. */
const dateHeaderMilliseconds = 1000

const dateHeaderNow = () => new Date().toUTCString()
