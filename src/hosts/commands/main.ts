import type { AddressInfo } from 'node:net'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import type { Authentication } from '../../authentication/authenticate.ts'
import { listen } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { prepareStop } from '../../http/shutdown.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { requireCurrentSchema } from '../../store/schema.ts'
import { sql } from '../../store/sql.ts'
import { commands } from './commands.ts'
import type { CommandSettings } from './configuration.ts'
import { createDiagnostics } from './diagnostics.ts'
import { createCallLimiter } from './limit-calls.ts'
import { messageBytesMax } from './message.ts'
import { measureCalls } from './metrics.ts'
import { addStandardServices } from './protobuf/standard-services.ts'
import { registerCommands } from './register-commands.ts'
import { requestTimeLimit } from './request-time-limit.ts'

export interface CommandHost {
  readonly port: number
  readonly diagnosticsPort: number
  stop(): Promise<void>
}

/** Wires the command host and starts to listen. */
export async function startCommands(
  tracker: Tracker,
  authentication: Authentication,
  settings: CommandSettings,
  log: Log,
): Promise<CommandHost> {
  const server = new Server(serverOptions)
  const limiter = createCallLimiter(settings)
  const diagnostics = createDiagnostics(
    authentication,
    [
      { name: 'database', check: () => tracker.database.query(sql`select 1`) },
      { name: 'schema', check: () => requireCurrentSchema(tracker.database) },
    ],
    { log, trustedHops: settings.forwardedHeaders ? 1 : 0 },
  )
  const onEnd = measureCalls(diagnostics, settings)
  registerCommands(server, { ...settings, tracker, authentication, admit: limiter.admit, log, onEnd })
  const standard = addStandardServices(server, commands())
  const stopDiagnostics = prepareStop(diagnostics)
  const port = await bind(server, settings)
  await listen(diagnostics, { host: settings.host, port: settings.diagnosticsPort })
  return {
    port,
    diagnosticsPort: (diagnostics.server.address() as AddressInfo).port,
    async stop() {
      standard.announceStop()
      limiter.close()
      await Promise.all([stopServer(server), stopDiagnostics()])
    },
  }
}

const serverOptions = {
  'grpc.max_receive_message_length': messageBytesMax,
  // Calls that one connection may have open; a client with more waits.
  'grpc.max_concurrent_streams': 256,
  'grpc.enable_channelz': 0,
  interceptors: [requestTimeLimit()],
}

function bind(server: Server, { host, port }: CommandSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    const address = host.includes(':') ? `[${host}]` : host
    server.bindAsync(`${address}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(Object.assign(error, inUse(error, port))) : resolve(bound),
    )
  })
}

/** The library tells a taken port in words only. */
const inUse = ({ message }: Error, port: number) =>
  message.includes('EADDRINUSE') ? { code: 'EADDRINUSE', port } : {}

/** Finishes the calls in flight, but not for ever. */
function stopServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), stopMilliseconds)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

// Container platforms kill after 10 s; the store wants some of that to close too.
const stopMilliseconds = 8000
