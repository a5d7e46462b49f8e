import { createRequire } from 'node:module'
import type { Server } from '@grpc/grpc-js'
import type { Command } from '../commands.ts'
import { addLateServices, type LateService } from './late-services.ts'
import type { ServingStatus } from './serve-standard-services.ts'
import { serviceNameOf } from './service.ts'

export interface StandardServices {
  /** Load balancers stop sending calls here. */
  announceStop(): void
}

/** Reflection and health, as stock clients expect them, open to everybody: they say what the project's page says. */
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

/** Libraries and descriptions of all commands: a fifth of this host's start, and many are never asked. A call cannot be read later. */
const require = createRequire(import.meta.url)
type Late = typeof import('./serve-standard-services.ts')
