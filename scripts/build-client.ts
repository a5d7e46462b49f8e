import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { knownCommands } from '../clients/typescript/src/known-commands.ts'

/** Builds the package of the TypeScript client into clients/typescript/dist, without code of the hosts. */
const folder = join(import.meta.dirname, '..', 'clients', 'typescript')
const dist = join(folder, 'dist')

/** Declarations that callers do not need. */
const internalFiles = ['known-commands', 'message-codec', 'follow'].map((name) => `${name}.d.ts`)

/** Replaces the module that derives the messages from the declarations of the hosts. */
const knownCommandsModule = `export const knownCommands = ${JSON.stringify(knownCommands)}`

// Separate builds, so that no file contains code that only the other one needs.
for (const name of ['tracker', 'commands'])
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    plugins: [
      {
        name: 'known-commands',
        load: (id) => (id.endsWith('/known-commands.ts') ? knownCommandsModule : null),
      },
    ],
    build: {
      ssr: true,
      rolldownOptions: { input: join(folder, 'src', `${name}.ts`) },
      outDir: dist,
      emptyOutDir: name === 'tracker',
      target: 'node20',
      minify: false,
    },
  })
writeDeclarations()

/** Copies only the declarations of the package, because the compiler also writes declarations of the hosts. */
function writeDeclarations(): void {
  const all = mkdtempSync(join(tmpdir(), 'tracker-client-'))
  try {
    const compiler = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
    execFileSync(process.execPath, [compiler, '-p', folder, '--outDir', all], { stdio: 'inherit' })
    const emitted = join(all, 'clients', 'typescript', 'src')
    for (const name of readdirSync(emitted).filter((file) => !internalFiles.includes(file))) {
      const text = readFileSync(join(emitted, name), 'utf8')
      writeFileSync(join(dist, name), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
    }
  } finally {
    rmSync(all, { recursive: true, force: true })
  }
}
