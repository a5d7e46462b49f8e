import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { commandTypesOf } from '../../scripts/command-types.ts'
import { restTypesOf } from '../../scripts/rest-types.ts'
import { resources } from '../../src/resources/all.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'clients', 'typescript')
const textOf = (...path: readonly string[]) => readFileSync(join(root, ...path), 'utf8')
const run = promisify(execFile)

test('The types of the TypeScript client are those of the commands: npm run contract writes them', () => {
  assert.equal(textOf('clients', 'typescript', 'src', 'command-types.ts'), commandTypesOf(resources))
})

test('The types of the TypeScript client are those of the contract: npm run contract writes them', () => {
  const written = (name: string) => JSON.parse(textOf('docs', 'contract', name))
  assert.equal(
    textOf('clients', 'typescript', 'src', 'rest-types.ts'),
    restTypesOf(written('rest.v1.json'), written('extensions.v1.json')),
  )
})

test('A name with two limits is rejected with both of its places, because clients ask for limits by name', () => {
  const withText = (title: string, maxLength: number) => ({
    paths: {},
    components: { schemas: { [title]: { properties: { text: { type: 'string', maxLength } } } } },
  })
  assert.throws(
    () => restTypesOf(withText('CommentCreate', 10_000), withText('NoteCreate', 200)),
    /^Error: text is limited to 10000 in CommentCreate and to 200 in NoteCreate: /,
  )
})

test('The package of the client has the version of the project and its versions of what both need', () => {
  const [own, whole] = [textOf('clients', 'typescript', 'package.json'), textOf('package.json')].map((text) =>
    JSON.parse(text),
  )
  assert.equal(own.version, whole.version)
  for (const [name, version] of Object.entries(own.dependencies))
    assert.equal(version, whole.dependencies[name])
})

describe('The packed client, in an empty folder that has nothing else of the project,', () => {
  let host: CommandsUnderTest
  let elsewhere: string
  before(async () => {
    elsewhere = mkdtempSync(join(tmpdir(), 'tracker-elsewhere-'))
    const modules = join(elsewhere, 'node_modules')
    mkdirSync(join(modules, 'tracker-client'), { recursive: true })
    const packing = run('npm', ['pack', '--silent', '--pack-destination', elsewhere], { cwd: folder })
    const [started, { stdout }] = await Promise.all([startCommandsUnderTest(), packing])
    host = started
    const tarball = stdout.trim().split('\n').at(-1) ?? ''
    await run('tar', [
      'xzf',
      join(elsewhere, tarball),
      '--strip-components=1',
      '-C',
      join(modules, 'tracker-client'),
    ])
    // What an installation would get from the registry.
    for (const name of ['@grpc', '@bufbuild', '@types', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
  })
  after(async () => {
    rmSync(elsewhere, { recursive: true, force: true })
    await host.stop()
  })

  test('is imported by a plain module, and calls the host', async () => {
    const program = join(elsewhere, 'program.mjs')
    writeFileSync(
      program,
      `import { CommandError, openCommandClient } from 'tracker-client/commands'
const client = openCommandClient({ target: process.env.TARGET, token: process.env.TOKEN })
const { organization } = await client.createOrganization({ name: 'Elsewhere' })
const refusal = await client.createOrganization({ name: ' ' }).catch((error) => error)
console.log(organization.name, refusal instanceof CommandError, refusal.errors.name[0])
client.close()
`,
    )
    const env = { ...process.env, TARGET: host.target, TOKEN: host.administrator.token }
    const { stdout } = await run(process.execPath, [program], { env, cwd: elsewhere })
    assert.equal(stdout, 'Elsewhere true Name is required.\n')
  })

  test('has types that reject what a command does not know', async () => {
    writeFileSync(
      join(elsewhere, 'program.mts'),
      `import { openCommandClient, type Project } from 'tracker-client/commands'
const client = openCommandClient({ target: 'localhost:5300', token: async () => 'token', tls: { ca: '' } })
const { project } = await client.getProjectById({ id: '' })
export const kept: Project | null = project
// @ts-expect-error: a project belongs to an organization
await client.createProject({ name: 'x' })
// @ts-expect-error: there is no such option
openCommandClient({ target: '', token: '', secure: true })
`,
    )
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    await run(process.execPath, [compiler, ...options, 'program.mts'], { cwd: elsewhere }).catch(
      ({ stdout }) => assert.fail(stdout),
    )
  })

  test('speaks REST from a plain module, and brings nothing along for it', async () => {
    const program = join(elsewhere, 'rest.mjs')
    writeFileSync(
      program,
      `import { filter, limits, openTracker, TrackerError } from 'tracker-client'
const tracker = openTracker({ address: 'http://127.0.0.1:9', token: 'token', retries: 0 })
const refusal = await tracker.projects.list().catch((error) => error)
console.log(refusal instanceof TrackerError, refusal.status, filter\`name eq \${"O'Neil"}\`, limits.pageSize)
`,
    )
    const { stdout } = await run(process.execPath, [program], { cwd: elsewhere })
    assert.equal(stdout, "true 0 name eq 'O''Neil' 100\n")
    const bundle = join(elsewhere, 'node_modules', 'tracker-client', 'dist', 'tracker.js')
    assert.doesNotMatch(readFileSync(bundle, 'utf8'), /^import |require\(|from "/m)
  })

  test('has types for REST that need none of Node, for browsers', async () => {
    writeFileSync(
      join(elsewhere, 'browser.mts'),
      `import { openTracker, type Project } from 'tracker-client'
const tracker = openTracker({ address: '', token: () => 'token' })
export const project: Project = await tracker.projects.get('')
const { data } = await tracker.assignments.query({ fields: ['name'], expand: ['project.organization'] })
export const organization: string | undefined = data[0]?.project?.organization?.name
// @ts-expect-error: it was not chosen
data[0]?.amountHours
// @ts-expect-error: a project belongs to an organization
await tracker.projects.create({ name: 'x' })
`,
    )
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', '']
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    await run(process.execPath, [compiler, ...options, '--lib', 'es2024,dom', 'browser.mts'], {
      cwd: elsewhere,
    }).catch(({ stdout }) => assert.fail(stdout))
  })

  test('has no file of the hosts and none of their words about budgets', () => {
    const bundle = readFileSync(
      join(elsewhere, 'node_modules', 'tracker-client', 'dist', 'commands.js'),
      'utf8',
    )
    assert.doesNotMatch(bundle, /from "(?:pg|fastify|@node-rs|node:)/)
    assert.doesNotMatch(bundle, /budgetLimits|src\/(?:db|accounts|config|records)\//)
  })
})
