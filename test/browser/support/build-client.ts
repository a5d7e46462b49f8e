import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'

/**
 * The current source of the client is built once per process, whatever is in web/dist. Tests that import this file
 * wait for it, because the time of a test and its hooks is limited, and a build may take minutes on a busy machine.
 */
const built = await buildInto(mkdtempSync(join(tmpdir(), 'tracker-web-')))

/** Returns the folder of the built client. */
export const buildClient = async (): Promise<string> => built

async function buildInto(folder: string): Promise<string> {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    configFile: join(import.meta.dirname, '..', '..', '..', 'web', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  })
  return folder
}
