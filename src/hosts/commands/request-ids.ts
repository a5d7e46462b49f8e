import { Metadata, type ServerInterceptor } from '@grpc/grpc-js'
import { requestIdFrom, requestIdHeader } from '../../http/log.ts'
import { baseCallOf } from './base-call.ts'

export interface RequestIds {
  /** The id that the headers of a call name, or a new one; the same whenever it is asked. */
  of(metadata: Metadata): string
  /** Sends it back in the trailers of every call. */
  readonly interceptor: ServerInterceptor
}

export function createRequestIds(): RequestIds {
  const ids = new WeakMap<Metadata, string>()
  const of = (metadata: Metadata) => {
    const id = ids.get(metadata) ?? requestIdFrom(metadata.get(requestIdHeader)[0])
    ids.set(metadata, id)
    return id
  }
  return {
    of,
    interceptor: (_method, call) => {
      const { metadata } = baseCallOf(call)
      // The library ends some calls by itself, past every interceptor.
      const send = call.sendStatus.bind(call)
      call.sendStatus = (ending) => {
        const trailers = ending.metadata?.clone() ?? new Metadata()
        trailers.set(requestIdHeader, of(metadata))
        send({ ...ending, metadata: trailers })
      }
      return call as ReturnType<ServerInterceptor>
    },
  }
}
