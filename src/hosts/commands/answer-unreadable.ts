import { type ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import { UnreadableMessage } from './message.ts'

type Ending = Parameters<ServerInterceptingCall['sendStatus']>[0]

/** A message that cannot be read is the client's mistake; the library answers INTERNAL, which says that it is ours. */
export const answerUnreadable: ServerInterceptor = (_method, call) => {
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
