import type {
  MethodDefinition,
  Server,
  ServiceDefinition,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'

/** A service that a library describes and serves, with what is known of its calls before the library is loaded. */
export type LateService = Readonly<Record<string, Pick<Method, 'requestStream' | 'responseStream'>>>

type Method = MethodDefinition<unknown, unknown>
type Handle = (...parameters: unknown[]) => void

/** Adds services, by their full names, that `serve` makes when the first call of one of them arrives. */
export function addLateServices(
  server: Server,
  services: Readonly<Record<string, LateService>>,
  serve: (server: Pick<Server, 'addService'>) => void,
): void {
  let made: ReadonlyMap<string, Served> | undefined
  const find = (path: string): Served => {
    made ??= servedBy(serve)
    const served = made.get(path)
    if (served === undefined) throw new Error(`Nothing serves ${path}.`)
    return served
  }
  for (const [service, calls] of Object.entries(services)) {
    const definition: Record<string, Method> = {}
    const handles: Record<string, UntypedHandleCall> = {}
    for (const [name, kind] of Object.entries(calls)) {
      const path = `/${service}/${name}`
      definition[name] = {
        ...{ path, ...kind },
        requestSerialize: (value) => find(path).method.requestSerialize(value),
        requestDeserialize: (bytes) => find(path).method.requestDeserialize(bytes),
        responseSerialize: (value) => find(path).method.responseSerialize(value),
        responseDeserialize: (bytes) => find(path).method.responseDeserialize(bytes),
      }
      const handle: Handle = (...parameters) => find(path).handle(...parameters)
      handles[name] = handle as UntypedHandleCall
    }
    server.addService(definition, handles)
  }
}

interface Served {
  readonly method: Method
  readonly handle: Handle
}

function servedBy(serve: (server: Pick<Server, 'addService'>) => void): ReadonlyMap<string, Served> {
  const served = new Map<string, Served>()
  serve({
    addService(definition: ServiceDefinition, handles: UntypedServiceImplementation) {
      for (const [name, method] of Object.entries(definition)) {
        const handle = handles[name] ?? handles[method.originalName ?? '']
        if (handle !== undefined) served.set(method.path, { method, handle: handle as Handle })
      }
    },
  })
  return served
}
