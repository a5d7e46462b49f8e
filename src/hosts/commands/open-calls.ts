import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'

export interface OpenCalls {
  readonly interceptor: ServerInterceptor
  /** Ends streams that would never end by themselves, such as watches of health: the host would wait for them in vain. */
  endStreams(): void
  /** Calls that still wait are answered with what is known, before the connection is cut. */
  giveUp(): void
}

/** Watches the calls in flight. */
export function trackCalls(): OpenCalls {
  const open = new Map<ServerInterceptingCall, 'arriving' | 'working' | 'streaming'>()
  return {
    interceptor({ requestStream, responseStream }, call) {
      const isStream = requestStream || responseStream
      const tracked = new ServerInterceptingCall(call, {
        start(next) {
          next({
            onReceiveMetadata(metadata, received) {
              open.set(tracked, isStream ? 'streaming' : 'arriving')
              received(metadata)
            },
            onReceiveHalfClose(received) {
              if (!isStream) open.set(tracked, 'working')
              received()
            },
            onCancel: () => void open.delete(tracked),
          })
        },
      })
      return tracked
    },
    endStreams() {
      for (const [call, state] of open) if (state === 'streaming') call.sendStatus(nothingDone)
    },
    giveUp() {
      for (const [call, state] of open) call.sendStatus(state === 'working' ? outcomeUnknown : nothingDone)
    },
  }
}

const nothingDone = { code: status.UNAVAILABLE, details: 'The host stops.' }

/** A client that reads UNAVAILABLE tries again, which would be wrong for what may have been done. */
const outcomeUnknown = { code: status.UNKNOWN, details: 'The host stopped before the outcome was known.' }
