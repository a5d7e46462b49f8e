import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { knownCommands } from '../clients/typescript/src/known-commands.ts'

/** Builds the package of the TypeScript client into clients/typescript/dist: JavaScript without any code of the hosts. */
const folder = join(import.meta.dirname, '..', 'clients', 'typescript')
const dist = join(folder, 'dist')

/** Types that only the hosts use; no caller needs them. */
const inner = ['known-commands', 'message-codec', 'follow'].map((name) => `${name}.d.ts`)

/** Puts the messages in where the hosts derive them from the declarations. */
const asData = `export const knownCommands = ${JSON.stringify(knownCommands)}`

// One after the other, so that neither contains what only the other needs.
for (const name of ['tracker', 'commands'])
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    plugins: [{ name: 'known-commands', load: (id) => (id.endsWith('/known-commands.ts') ? asData : null) }],
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

/** The compiler writes those of the hosts' files too; the package needs its own. */
function writeDeclarations(): void {
  const all = mkdtempSync(join(tmpdir(), 'tracker-client-'))
  try {
    const compiler = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
    execFileSync(process.execPath, [compiler, '-p', folder, '--outDir', all], { stdio: 'inherit' })
    const emitted = join(all, 'clients', 'typescript', 'src')
    for (const name of readdirSync(emitted).filter((one) => !inner.includes(one))) {
      const text = readFileSync(join(emitted, name), 'utf8')
      writeFileSync(join(dist, name), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
    }
  } finally {
    rmSync(all, { recursive: true, force: true })
  }
}
