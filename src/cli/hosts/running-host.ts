import type { TrackerSettings } from '../../configuration/tracker-settings.ts'

export interface RunningHost {
  readonly title: string
  readonly address: string
  /** Worth a line of its own on the first screen. */
  readonly pages?: readonly string[]
  /** Goes on serving, but says that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

export const addressOf = ({ host }: Pick<TrackerSettings, 'host'>, port: number): string =>
  `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`

/** A taken port is the commonest reason for a start to fail, so it has a sentence of its own. */
export async function listening<Host>(variable: string, start: () => Promise<Host>): Promise<Host> {
  try {
    return await start()
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is in use. Stop what uses it, or set ${variable} to another port.`)
  }
}
