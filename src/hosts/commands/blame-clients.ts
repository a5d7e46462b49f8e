import { type ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import { UnreadableMessage } from './message.ts'

type Ending = Parameters<ServerInterceptingCall['sendStatus']>[0]

/** The library says INTERNAL, which is for our own faults, when it cannot read what a client packed. */
export const blameClients: ServerInterceptor = (_method, call) => {
  // The library ends such a call by itself, past every interceptor.
  const send = call.sendStatus.bind(call)
  call.sendStatus = (ending) => {
    send(
      isClientsFault(ending)
        ? { code: status.INVALID_ARGUMENT, details: new UnreadableMessage().message }
        : ending,
    )
  }
  return call as ServerInterceptingCall
}

/** A method that there is not never gets here. */
function isClientsFault({ code, details = '' }: Ending): boolean {
  if (code === status.UNIMPLEMENTED) return /^Received (no|a second) request message/.test(details)
  return code === status.INTERNAL && clientFaults.has(details)
}

const clientFaults: ReadonlySet<string> = new Set([
  'Failed to decompress message',
  'Error deserializing request',
])
