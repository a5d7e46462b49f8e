import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Argon2 runs in libuv's thread pool. Four password verifications would occupy its four default threads, and
// delay access to files and cryptographic operations.
process.env.UV_THREADPOOL_SIZE ??= '8'
// The cache of compiled sources halves the time of a start. It contains only modules that are imported later.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))

const { runCommand } = await import('./cli/run-command.ts')
await runCommand(process.argv.slice(2))
