import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'

/** The next request of a stream is read when the last answer is taken: who only asks would fill the memory with answers. */
export const paceRequests: ServerInterceptor = (method, call) => {
  if (!method.requestStream) return call as ServerInterceptingCall
  let answersWaiting = 0
  let isReadWanted = false
  const paced = new ServerInterceptingCall(call)
  const startRead = paced.startRead.bind(paced)
  const sendMessage = paced.sendMessage.bind(paced)
  const readNext = () => {
    if (!isReadWanted || answersWaiting > 0) return
    isReadWanted = false
    startRead()
  }
  paced.startRead = () => {
    isReadWanted = true
    readNext()
  }
  paced.sendMessage = (message, taken) => {
    answersWaiting += 1
    sendMessage(message, () => {
      answersWaiting -= 1
      taken()
      readNext()
    })
  }
  return paced
}
