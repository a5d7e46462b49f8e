import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessMutants } from './access-mutants.ts'
import { type Mutant, mutants } from './mutant-table.ts'

/**
 * `npm run mutants`: breaks one rule after the other and runs the tests that should notice. What nobody notices survives,
 * and is listed in docs/mutants.md. `npm run mutants -- word` takes those whose file contains the word, and writes nothing.
 */
const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const chosen = [...mutants, ...accessMutants].filter(
  ({ file }) => words.length === 0 || words.some((word) => file.includes(word)),
)

type Fate = 'dies' | 'survives' | 'has moved'

const fates = chosen.map((mutant) => {
  const fate = fateOf(mutant)
  console.log(`${fate.padEnd(10)}${mutant.file}: ${mutant.rule}`)
  return { ...mutant, fate }
})
if (words.length === 0) writeFileSync(join(root, 'docs', 'mutants.md'), reportOf(fates))
process.exitCode = fates.every(({ fate }) => fate === 'dies') ? 0 : 1

function fateOf({ file, from, to, tests }: Mutant): Fate {
  const path = join(root, file)
  if (!existsSync(path)) return 'has moved'
  const text = readFileSync(path, 'utf8')
  // The text must be there exactly once: the table has to follow the code.
  if (text.split(from).length !== 2) return 'has moved'
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

function reportOf(results: readonly (Mutant & { readonly fate: Fate })[]): string {
  const rows = results.map(
    ({ file, rule, tests, fate }) => `| \`${file}\` | ${rule} | ${tests.join(', ')} | ${fate} |`,
  )
  return `# Rules that were broken on purpose

Written by \`npm run mutants\`, from the table in \`scripts/mutant-table.ts\`. A rule whose breach survives wants a test.
Decision 0055 says why the table is ours.

| File | The rule that was broken | Tests | The breach |
|---|---|---|---|
${rows.join('\n')}
`
}
