import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Argon2 runs in libuv's pool: four verifications would occupy its four default threads, and delay files and
// keys.
process.env.UV_THREADPOOL_SIZE ??= '8'
// Compiled sources are cached, which halves the time of a start. Only modules that are imported later are
// cached.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))

const { runCommand } = await import('./cli/run-command.ts')
await runCommand(process.argv.slice(2))
