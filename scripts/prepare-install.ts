import { rmSync } from 'node:fs'
import { join } from 'node:path'
import './build-web.ts'

/**
 * Completes an installation: builds the web client, and removes 67 MB of headers for native add-ons that
 * nothing compiles.
 */
const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const bundledNode = join(import.meta.dirname, '..', 'node_modules', 'node', 'node_modules', platform)

rmSync(join(bundledNode, 'include'), { recursive: true, force: true })
