import { createRequire } from 'node:module'
import type {
  MethodDefinition,
  Server,
  ServiceDefinition,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { Command } from '../commands.ts'
import { serviceNameOf } from '../message.ts'
import type { ServingStatus } from './serve-standard-services.ts'

export interface StandardServices {
  /** Makes load balancers stop sending calls here. */
  announceStop(): void
}

/**
 * Adds reflection and health for standard clients. They need no token, because they contain only public
 * information.
 */
export function addStandardServices(server: Server, commands: readonly Command[]): StandardServices {
  const editions = new Set(commands.map(({ edition }) => edition))
  const names = ['', ...[...editions].map(serviceNameOf)]
  let status: ServingStatus = 'SERVING'
  let setStatus: ((name: string, status: ServingStatus) => void) | undefined
  addLazyServices(server, standardServices, (collector) => {
    const { serveStandardServices } = require('./serve-standard-services.ts') as ServingModule
    setStatus = serveStandardServices(collector, commands)
    for (const name of names) setStatus(name, status)
  })
  return {
    announceStop() {
      status = 'NOT_SERVING'
      for (const name of names) setStatus?.(name, status)
    },
  }
}

const unary = { requestStream: false, responseStream: false }
const reflection: LazyService = { ServerReflectionInfo: { requestStream: true, responseStream: true } }

const standardServices: Readonly<Record<string, LazyService>> = {
  'grpc.health.v1.Health': { Check: unary, List: unary, Watch: { ...unary, responseStream: true } },
  'grpc.reflection.v1.ServerReflection': reflection,
  'grpc.reflection.v1alpha.ServerReflection': reflection,
}

/**
 * Loading the libraries and all descriptors takes a fifth of this host's start, and many hosts never need
 * them. They are loaded synchronously, because the gRPC library cannot postpone reading a call.
 */
const require = createRequire(import.meta.url)
type ServingModule = typeof import('./serve-standard-services.ts')

/**
 * A service that a library describes and serves, with the properties of its calls that are needed before the
 * library is loaded.
 */
type LazyService = Readonly<Record<string, Pick<Method, 'requestStream' | 'responseStream'>>>

type Method = MethodDefinition<unknown, unknown>
type Handle = (...parameters: unknown[]) => void

/** Adds services by their full names. `serve` creates them when the first call arrives. */
function addLazyServices(
  server: Server,
  services: Readonly<Record<string, LazyService>>,
  serve: (server: Pick<Server, 'addService'>) => void,
): void {
  let methods: ReadonlyMap<string, ServedMethod> | undefined
  const findMethod = (path: string): ServedMethod => {
    methods ??= collectMethods(serve)
    const method = methods.get(path)
    if (method === undefined) throw new Error(`No service handles ${path}.`)
    return method
  }
  for (const [service, calls] of Object.entries(services)) {
    const definition: Record<string, Method> = {}
    const handles: Record<string, UntypedHandleCall> = {}
    for (const [name, kind] of Object.entries(calls)) {
      const path = `/${service}/${name}`
      definition[name] = {
        path,
        ...kind,
        requestSerialize: (value) => findMethod(path).method.requestSerialize(value),
        requestDeserialize: (bytes) => findMethod(path).method.requestDeserialize(bytes),
        responseSerialize: (value) => findMethod(path).method.responseSerialize(value),
        responseDeserialize: (bytes) => findMethod(path).method.responseDeserialize(bytes),
      }
      const handle: Handle = (...parameters) => findMethod(path).handle(...parameters)
      handles[name] = handle as UntypedHandleCall
    }
    server.addService(definition, handles)
  }
}

interface ServedMethod {
  readonly method: Method
  readonly handle: Handle
}

function collectMethods(
  serve: (server: Pick<Server, 'addService'>) => void,
): ReadonlyMap<string, ServedMethod> {
  const methods = new Map<string, ServedMethod>()
  serve({
    addService(definition: ServiceDefinition, handles: UntypedServiceImplementation) {
      for (const [name, method] of Object.entries(definition)) {
        const handle = handles[name] ?? handles[method.originalName ?? '']
        if (handle !== undefined) methods.set(method.path, { method, handle: handle as Handle })
      }
    },
  })
  return methods
}
