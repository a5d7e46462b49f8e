import { join } from 'node:path'
import { build } from 'vite'

/** Builds the web client into web/dist. */
const configFile = join(import.meta.dirname, '..', 'web', 'vite.config.ts')

await build({ configFile, logLevel: 'warn' })
