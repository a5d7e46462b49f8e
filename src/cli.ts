import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Four password verifications would fill the default four threads, and files and keys would wait behind them. */
process.env.UV_THREADPOOL_SIZE ??= '8'
// The sources are compiled once, not at every start: half of the time until the hosts are ready.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))

// Only now, because the cache holds for what is loaded after it.
const { runCommand } = await import('./cli/run-command.ts')
await runCommand(process.argv.slice(2))
