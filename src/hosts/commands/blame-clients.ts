import { type ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import { UnreadableMessage } from './message.ts'

/** The library says INTERNAL, which is for our own faults, when it cannot read what a client packed. */
export const blameClients: ServerInterceptor = (_method, call) => {
  // The library ends such a call by itself, past every interceptor.
  const send = call.sendStatus.bind(call)
  call.sendStatus = (ending) => {
    const isClients = ending.code === status.INTERNAL && clientFaults.has(ending.details)
    send(isClients ? { code: status.INVALID_ARGUMENT, details: new UnreadableMessage().message } : ending)
  }
  return call as ServerInterceptingCall
}

const clientFaults: ReadonlySet<string> = new Set([
  'Failed to decompress message',
  'Error deserializing request',
])
