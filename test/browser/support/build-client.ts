import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'

/** The options of hooks that build the client, which may take minutes on a busy machine. */
export const whileBuilding = { timeout: 600_000 }

let built: Promise<string> | undefined

/** Builds the current source of the client once per process, whatever is in web/dist. Returns the folder. */
export function buildClient(): Promise<string> {
  built ??= buildInto(mkdtempSync(join(tmpdir(), 'tracker-web-')))
  return built
}

async function buildInto(folder: string): Promise<string> {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    configFile: join(import.meta.dirname, '..', '..', '..', 'web', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  })
  return folder
}
