import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'

/** Ends calls whose request does not arrive: an open stream without a message would be kept for ever. */
export const requestTimeLimit =
  (milliseconds: number): ServerInterceptor =>
  (method, call) => {
    if (method.requestStream) return call as ServerInterceptingCall
    return new ServerInterceptingCall(call, {
      start(next) {
        let timer: NodeJS.Timeout | undefined
        next({
          onReceiveMetadata(metadata, received) {
            timer = setTimeout(() => call.sendStatus(tooSlow), milliseconds)
            received(metadata)
          },
          onReceiveHalfClose(received) {
            clearTimeout(timer)
            received()
          },
          onCancel: () => clearTimeout(timer),
        })
      },
    })
  }

const tooSlow = { code: status.DEADLINE_EXCEEDED, details: 'The request did not arrive in time.' }
