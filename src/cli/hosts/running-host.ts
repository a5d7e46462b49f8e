import { administratorsOf } from '../../accounts/administrators.ts'
import { createAuthentication } from '../../auth/authenticate.ts'
import type { TrackerSettings } from '../../config/tracker-settings.ts'
import type { Log } from '../../http/log.ts'
import { createSecurityLog } from '../../observability/security-log.ts'
import type { Tracker } from '../../records/context.ts'

export interface RunningHost {
  readonly title: string
  readonly address: string
  /** Pages that are worth a line on the first screen. */
  readonly pages?: readonly string[]
  /** Keeps serving, but reports that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

export const addressOf = ({ host }: Pick<TrackerSettings, 'host'>, port: number): string =>
  `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`

/** A port in use is the most common reason for a start to fail, so it has a message of its own. */
export async function listening<Host>(variable: string, start: () => Promise<Host>): Promise<Host> {
  try {
    return await start()
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is in use. Stop what uses it, or set ${variable} to another port.`)
  }
}

/** The authentication of a host that verifies tokens itself. */
export const authenticationOf = (
  { database }: Tracker,
  settings: TrackerSettings & { readonly audience: string },
  scope: string,
  log: Log,
) =>
  createAuthentication({
    ...settings,
    database,
    scope,
    administrators: administratorsOf(settings),
    log: log.ofStrangers,
    securityLog: createSecurityLog(log),
  })
