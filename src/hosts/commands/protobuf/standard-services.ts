import { createRequire } from 'node:module'
import type {
  MethodDefinition,
  Server,
  ServiceDefinition,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { Command } from '../commands.ts'
import type { ServingStatus } from './serve-standard-services.ts'
import { serviceNameOf } from './service.ts'

export interface StandardServices {
  /** Makes load balancers stop sending calls here. */
  announceStop(): void
}

/** Reflection and health, as stock clients expect them, open to all clients: they contain only public information. */
export function addStandardServices(server: Server, commands: readonly Command[]): StandardServices {
  const editions = new Set(commands.map(({ edition }) => edition))
  const names = ['', ...[...editions].map(serviceNameOf)]
  let status: ServingStatus = 'SERVING'
  let setStatus: ((name: string, status: ServingStatus) => void) | undefined
  addLateServices(server, standard, (late) => {
    const { serveStandardServices } = require('./serve-standard-services.ts') as Late
    setStatus = serveStandardServices(late, commands)
    for (const name of names) setStatus(name, status)
  })
  return {
    announceStop() {
      status = 'NOT_SERVING'
      for (const name of names) setStatus?.(name, status)
    },
  }
}

const alone = { requestStream: false, responseStream: false }
const reflection: LateService = { ServerReflectionInfo: { requestStream: true, responseStream: true } }

const standard: Readonly<Record<string, LateService>> = {
  'grpc.health.v1.Health': { Check: alone, List: alone, Watch: { ...alone, responseStream: true } },
  'grpc.reflection.v1.ServerReflection': reflection,
  'grpc.reflection.v1alpha.ServerReflection': reflection,
}

/**
 * The libraries and all descriptions take a fifth of this host's start, and many hosts never need them. They load synchronously,
 * because a call cannot be read later.
 */
const require = createRequire(import.meta.url)
type Late = typeof import('./serve-standard-services.ts')

/**
 * A service that a library describes and serves, with the properties of its calls that are needed before the library is loaded.
 */
type LateService = Readonly<Record<string, Pick<Method, 'requestStream' | 'responseStream'>>>

type Method = MethodDefinition<unknown, unknown>
type Handle = (...parameters: unknown[]) => void

/** Adds services, by their full names, that `serve` creates when the first call of one of them arrives. */
function addLateServices(
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
