import { join } from 'node:path'

/** Builds the web client into web/dist. Installed without the tools for it, as on a server, there is nothing to do. */
const folder = join(import.meta.dirname, '..', 'web')

const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined
  throw error
})

await vite?.build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' })
