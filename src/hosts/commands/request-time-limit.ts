import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'

/** Ends calls whose request does not arrive: an open stream without a message would be kept for ever. */
export const requestTimeLimit =
  (milliseconds = requestMilliseconds): ServerInterceptor =>
  (method, call) => {
    if (method.requestStream) return new ServerInterceptingCall(call)
    return new ServerInterceptingCall(call, {
      start(next) {
        const timer = setTimeout(() => {
          call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: 'The request did not arrive in time.' })
        }, milliseconds)
        next({
          onReceiveHalfClose(received) {
            clearTimeout(timer)
            received()
          },
          onCancel: () => clearTimeout(timer),
        })
      },
    })
  }

// As on the HTTP hosts: the largest message over a slow mobile link takes half of it.
const requestMilliseconds = 60_000
