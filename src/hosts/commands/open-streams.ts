import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'

export interface OpenStreams {
  readonly interceptor: ServerInterceptor
  /** Tells their clients to go elsewhere. */
  end(): void
}

/** Streams without an end of their own, such as health's watchers: a host that stops would wait for them in vain. */
export function trackStreams(): OpenStreams {
  const open = new Set<ServerInterceptingCall>()
  return {
    interceptor(method, call) {
      if (!method.requestStream && !method.responseStream) return new ServerInterceptingCall(call)
      const tracked = new ServerInterceptingCall(call, {
        start(next) {
          next({
            onReceiveMetadata(metadata, received) {
              open.add(tracked)
              received(metadata)
            },
            onCancel: () => void open.delete(tracked),
          })
        },
      })
      return tracked
    },
    end() {
      for (const stream of open) stream.sendStatus({ code: status.UNAVAILABLE, details: 'The host stops.' })
    },
  }
}
