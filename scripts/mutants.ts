import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allMutants } from './all-mutants.ts'
import type { Mutant } from './mutant-table.ts'

/**
 * `npm run mutants` breaks one rule after the other, and runs the tests that should fail. If none fails, the
 * mutant survives; docs/mutants.md lists all results. `npm run mutants -- word` runs only those whose file
 * contains the word; the others keep their rows.
 */
const root = join(import.meta.dirname, '..')
const page = join(root, 'docs', 'mutants.md')
const before = readFileSync(page, 'utf8').split('\n')
const testFiles = globSync('{src,test,clients}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] })
const words = process.argv.slice(2)
const selected = allMutants.filter(
  ({ file }) => words.length === 0 || words.some((word) => file.includes(word)),
)

type Fate = 'dies' | 'survives' | 'has moved' | 'no such test'

const results = selected.map((mutant) => {
  const fate = tryMutant(mutant)
  console.log(`${fate.padEnd(10)}${mutant.file}: ${mutant.rule}`)
  return { ...mutant, fate }
})
writeFileSync(page, reportOf(allMutants.map(rowOf)))
process.exitCode = results.every(({ fate }) => fate === 'dies') ? 0 : 1

function tryMutant({ file, from, to, tests }: Mutant): Fate {
  const path = join(root, file)
  if (!existsSync(path)) return 'has moved'
  const text = readFileSync(path, 'utf8')
  // The text must be there exactly once: the table has to follow the code.
  if (text.split(from).length !== 2) return 'has moved'
  // A run without any test fails, too.
  if (tests.some((word) => testFiles.every((name) => !name.includes(word)))) return 'no such test'
  const restore = () => writeFileSync(path, text)
  process.once('exit', restore)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  try {
    const run = spawnSync(process.execPath, [join(root, 'test', 'run.ts'), ...tests], { cwd: root })
    return run.status === 0 ? 'survives' : 'dies'
  } finally {
    restore()
    process.off('exit', restore)
  }
}

/** Returns the row with the result of this run, or else the existing row. */
function rowOf(mutant: Mutant): string {
  const { file, rule, tests } = mutant
  const begin = `| \`${file}\` | ${rule} | ${tests.join(', ')} |`
  const fate = results.find((result) => result.file === file && result.rule === rule)?.fate
  const existing = before.find((line) => line.startsWith(begin))
  return fate === undefined && existing ? existing : `${begin} ${fate ?? 'not tried yet'} |`
}

function reportOf(rows: readonly string[]): string {
  return `# Rules that were broken on purpose

\`npm run mutants\` writes this page from the tables in \`scripts/\`. If a broken rule survives, it needs a test.
Decision 0055 explains why we maintain the table ourselves.

| File | Rule | Tests | Result |
|---|---|---|---|
${rows.join('\n')}
`
}
