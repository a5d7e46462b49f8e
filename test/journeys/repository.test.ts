import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { allMutants } from '../../scripts/all-mutants.ts'
import { parse } from '../support/read-compose.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const testFiles = globSync('{src,test,clients}/**/*.test.ts', { cwd: root })

test('every file of the project that its pages name is there', () => {
  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'docs/operations.md']
  const decisions = ['docs/decisions/0042-embedded-store.md', 'docs/decisions/0043-deployment.md']
  for (const page of [...pages, ...decisions]) {
    const named = [...textOf(page).matchAll(/`((?:src|test|docs|deploy|scripts|web|bench)\/[\w./-]+)`/g)]
    for (const [, path = ''] of named) assert.ok(existsSync(join(root, path)), `${page} names ${path}`)
  }
})

test('every npm script and command that the pages name exists', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const commands = textOf('src/cli/run-command.ts')
  for (const page of ['README.md', 'CONTRIBUTING.md', 'docs/operations.md', 'CHANGELOG.md']) {
    for (const [, script = '', word] of textOf(page).matchAll(
      /npm run (?:--silent )?([\w-]+)(?: -- ([\w-]+))?/g,
    )) {
      assert.ok(Object.hasOwn(scripts, script), `${page}: npm run ${script}`)
      if (script === 'cli') assert.match(commands, new RegExp(`^  '?${word}'?: `, 'm'), `${page}: ${word}`)
    }
  }
})

test('every rule that npm run mutants breaks is where its table says, and has its tests', () => {
  for (const { file, rule, from, tests } of allMutants) {
    const times = existsSync(join(root, file)) ? textOf(file).split(from).length - 1 : 0
    assert.equal(times, 1, `${file}: ${rule}`)
    for (const words of tests)
      assert.ok(
        testFiles.some((path) => path.includes(words)),
        `${rule}: ${words}`,
      )
  }
})

test('the licence is named and there, and the changes of this version too', () => {
  const { license, version } = JSON.parse(textOf('package.json'))
  assert.equal(license, 'MIT')
  assert.match(textOf('LICENSE'), /^MIT License\n/)
  assert.ok(textOf('CHANGELOG.md').includes(`## ${version}\n`), `CHANGELOG.md says nothing about ${version}`)
})

test('the public CI runs the gate on Linux and a start on macOS and Windows', () => {
  const { jobs } = parse(textOf('.github/workflows/ci.yml'))
  const commandsOf = (job: { steps: { run?: string }[] }) => job.steps.map(({ run }) => run ?? '').join('\n')
  assert.match(commandsOf(jobs.gate), /bash \.ci\/run$/m)
  const systems = jobs.start.strategy.matrix.os.join()
  assert.match(systems, /macos-.*windows-/)
  assert.match(commandsOf(jobs.start), /node scripts\/try-start\.ts/)
  const { updates } = parse(textOf('.github/dependabot.yml'))
  assert.ok(updates.length > 0)
})

test('the units of systemd are ones that systemd understands', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const units = globSync('tracker*.*', { cwd: join(root, 'deploy/systemd') }).filter(
    (name) => !name.endsWith('.d'),
  )
  assert.ok(units.length >= 4)
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
  } catch {
    return t.skip('systemd is not installed')
  }
  for (const name of units) {
    // systemd looks whether the programs are there.
    const here = textOf(`deploy/systemd/${name}`)
      .replace('ExecStart=/opt/tracker/node_modules/.bin/node', `ExecStart=${process.execPath}`)
      .replaceAll('file:///opt/tracker', `file://${root}`)
    writeFileSync(join(folder, name), here)
  }
  // Any unknown key or wrong value is a line about these files.
  const paths = units.map((name) => join(folder, name))
  const output = execFileSync(
    '/bin/sh',
    ['-c', 'systemd-analyze verify "$@" 2>&1 || true', 'verify', ...paths],
    {
      encoding: 'utf8',
    },
  )
  assert.deepEqual(
    output.split('\n').filter((line) => line.includes('tracker')),
    [],
  )
})
