import { readdirSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'

/**
 * Before the first start of all, nothing is compiled. What this process then compiles, the instances need not: each of them
 * would load what reads TypeScript, and hold 25 MB more for as long as it lives.
 */
export async function compileFirst(): Promise<void> {
  const folder = getCompileCacheDir()
  if (folder === undefined || readdirSync(folder).length > 0) return
  await import('./instance.ts')
  flushCompileCache()
}
