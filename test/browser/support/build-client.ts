import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'

/** The client as it is now, whatever lies in web/dist. */
export async function buildClient(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tracker-web-'))
  await build({
    configFile: join(import.meta.dirname, '..', '..', '..', 'web', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
