import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { createChannel } from '../../clients/typescript/src/channel.ts'
import { CommandError, openCommandClient } from '../../clients/typescript/src/commands.ts'
import { commandTypesOf } from '../../scripts/command-types.ts'
import { restTypesOf } from '../../scripts/rest-types.ts'
import { resources } from '../../src/resources/all.ts'
import { hasOpenssl, makeCertificate } from '../support/certificate.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'

describe('The typed client', { concurrency: true }, () => {
  const host = fixture(startCommandsUnderTest)
  const client = fixture(() =>
    openCommandClient({ target: host.target, token: async () => host.administrator.token }),
  )

  test('creates, reads, lists, changes and removes rows', async () => {
    const { organization } = await client.createOrganization({ name: 'Harbour' })
    assert.ok(organization)
    const { id, createdAt } = organization
    assert.deepEqual(organization, {
      id,
      name: 'Harbour',
      description: null,
      createdAt,
      updatedAt: null,
      deletedAt: null,
      active: true,
    })
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
    assert.deepEqual(await client.getOrganizationById({ id }), {
      success: true,
      message: 'Organization retrieved successfully.',
      organization,
    })
    const { result } = await client.listOrganizations({ pagination: { ids: id } })
    assert.deepEqual(result, {
      data: [organization],
      totalCount: 1,
      pageNumber: 1,
      pageSize: 10,
      totalPages: 1,
    })
    const update = await client.updateOrganization({ id, name: 'Harbour', description: 'By the sea' })
    assert.deepEqual(update, {
      success: true,
      message: 'Organization updated successfully.',
      organization: (await client.getOrganizationById({ id })).organization,
    })
    assert.deepEqual(await client.updateOrganization({ id: randomUUID(), name: 'Nowhere' }), {
      success: false,
      message: 'Organization was not found.',
      organization: null,
    })
    assert.deepEqual(await client.removeOrganization({ ids: [id] }), {
      success: true,
      message: 'Organization removed successfully.',
    })
    const gone = await client.getOrganizationById({ id })
    assert.deepEqual(gone, { success: false, message: 'Organization was not found.', organization: null })
  })

  test('accepts timestamps in every format of the hosts', async () => {
    const { organization } = await client.createOrganization({ name: 'Quay' })
    const { project } = await client.createProject({ name: 'Pier', organizationId: organization?.id ?? '' })
    assert.ok(project)
    for (const name of ['Pier 1', 'Pier 2']) {
      const { project: current } = await client.getProjectById({ id: project.id })
      assert.ok(current)
      const expectedVersion = current.updatedAt ?? current.createdAt
      const { success } = await client.updateProject({ ...current, name, expectedVersion })
      assert.equal(success, true)
    }
    const request = { ...project, expectedVersion: '2020-01-01T00:00+01:00' }
    const stale = await client.updateProject(request)
    assert.equal(stale.success, false)
    await assert.rejects(client.updateProject({ ...project, expectedVersion: 'soon' }), TypeError)
  })

  test('throws errors with their status and all messages by field', async () => {
    const rejection = client.createWorkflow({ name: ' ', order: -1 })
    await assert.rejects(rejection, (error) => {
      assert.ok(error instanceof CommandError)
      const messages = 'Name is required. Order must be a whole number from 0 to 2147483647.'
      assert.deepEqual([error.code, error.message], ['INVALID_ARGUMENT', messages])
      assert.deepEqual(error.errors, {
        name: ['Name is required.'],
        order: ['Order must be a whole number from 0 to 2147483647.'],
      })
      return true
    })
  })

  test('gives up after its timeout, or when its signal is aborted', async () => {
    const reasons = [
      { options: { withinMilliseconds: 0 }, code: 'DEADLINE_EXCEEDED' },
      { options: { signal: AbortSignal.abort() }, code: 'CANCELLED' },
    ]
    for (const { options, code } of reasons) {
      const call = client.getProjectById({ id: randomUUID() }, options)
      await assert.rejects(call, (error) => error instanceof CommandError && error.code === code)
    }
  })

  test('has types that reject undeclared fields and commands', () => {
    const uncalled = async () => {
      // @ts-expect-error: a project belongs to an organization
      await client.createProject({ name: 'x' })
      // @ts-expect-error: an order is a number
      await client.createWorkflow({ name: 'x', order: '1' })
      // @ts-expect-error: a workflow has no colour
      await client.createWorkflow({ name: 'x', order: 1, colour: 'red' })
      const { user } = await client.getUserById({ id: '' })
      // @ts-expect-error: a password is never shown
      assert.equal(user?.password, undefined)
      // @ts-expect-error: restoring is not a command
      await client.restoreProject({ ids: [] })
    }
    assert.equal(typeof uncalled, 'function')
  })
})

describe('The TLS of the typed client', { skip: !hasOpenssl && 'openssl is not installed' }, () => {
  const host = fixture(startCommandsUnderTest)

  test('trusts only the given authority', async (t) => {
    const certificate = makeCertificate(t, ['commands.example.com'])
    const front = await startTlsFront(host.target, certificate)
    t.after(front.stop)
    const { ca } = certificate
    const { token } = host.administrator
    const create = async (tls: Parameters<typeof openCommandClient>[0]['tls'] & object) => {
      const client = openCommandClient({ target: `localhost:${front.port}`, token, tls })
      try {
        return await client.createOrganization({ name: 'Safe' }, { withinMilliseconds: 5000 })
      } finally {
        client.close()
      }
    }
    const { organization } = await create({ ca, serverName: 'commands.example.com' })
    assert.equal(organization?.name, 'Safe')
    const otherCertificate = makeCertificate(t, ['commands.example.com'])
    for (const tls of [
      { ca },
      { serverName: 'commands.example.com' },
      { ca: otherCertificate.ca, serverName: 'commands.example.com' },
    ])
      await assert.rejects(
        create(tls),
        (error) => error instanceof CommandError && error.code === 'UNAVAILABLE',
      )
  })

  test('is the default for every target except this machine', () => {
    const isSecure = (...parameters: Parameters<typeof createChannel>) =>
      createChannel(...parameters).credentials._isSecure()
    for (const target of [
      'localhost:5300',
      '127.0.0.1:5300',
      '[::1]:5300',
      'dns:///localhost:5300',
      'unix:/run/tracker',
    ])
      assert.equal(isSecure(target), false, target)
    for (const target of [
      'commands:5300',
      '10.0.0.7:5300',
      'localhost.example.com:443',
      '127.0.0.1.example.com',
      'dns:///example.com',
    ])
      assert.equal(isSecure(target), true, target)
    assert.equal(isSecure('commands:5300', false), false)
    assert.equal(isSecure('localhost:5300', true), true)
  })
})

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'clients', 'typescript')
const textOf = (...path: readonly string[]) => readFileSync(join(root, ...path), 'utf8')
const run = promisify(execFile)

test('The types of the TypeScript client are up to date with the commands', () => {
  assert.equal(textOf('clients', 'typescript', 'src', 'command-types.ts'), commandTypesOf(resources))
})

test('The types of the TypeScript client are up to date with the contract', () => {
  const contract = (name: string) => JSON.parse(textOf('docs', 'contract', name))
  assert.equal(
    textOf('clients', 'typescript', 'src', 'rest-types.ts'),
    restTypesOf(contract('rest.v1.json'), contract('extensions.v1.json')),
  )
})

test('A name with two limits is rejected', () => {
  const withText = (title: string, maxLength: number) => ({
    paths: {},
    components: { schemas: { [title]: { properties: { text: { type: 'string', maxLength } } } } },
  })
  assert.throws(
    () => restTypesOf(withText('CommentCreate', 10_000), withText('NoteCreate', 200)),
    /^Error: text is limited to 10000 in CommentCreate and to 200 in NoteCreate: /,
  )
})

test('The package of the client has the versions of the project', () => {
  const client = JSON.parse(textOf('clients', 'typescript', 'package.json'))
  const project = JSON.parse(textOf('package.json'))
  assert.equal(client.version, project.version)
  for (const [name, version] of Object.entries(client.dependencies))
    assert.equal(version, project.dependencies[name])
})

describe('The packed client without the project', () => {
  let host: CommandsUnderTest
  let directory: string
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tracker-elsewhere-'))
    const modules = join(directory, 'node_modules')
    mkdirSync(join(modules, 'tracker-client'), { recursive: true })
    const packing = run('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: folder })
    const [started, { stdout }] = await Promise.all([startCommandsUnderTest(), packing])
    host = started
    const tarball = stdout.trim().split('\n').at(-1) ?? ''
    await run('tar', [
      'xzf',
      join(directory, tarball),
      '--strip-components=1',
      '-C',
      join(modules, 'tracker-client'),
    ])
    // An installation would get these from the registry.
    for (const name of ['@grpc', '@bufbuild', '@types', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
  })
  after(async () => {
    rmSync(directory, { recursive: true, force: true })
    await host.stop()
  })

  test('is imported by a plain module, and calls the host', async () => {
    const program = join(directory, 'program.mjs')
    writeFileSync(
      program,
      `import { CommandError, openCommandClient } from 'tracker-client/commands'
const client = openCommandClient({ target: process.env.TARGET, token: process.env.TOKEN })
const { organization } = await client.createOrganization({ name: 'Elsewhere' })
const rejection = await client.createOrganization({ name: ' ' }).catch((error) => error)
console.log(organization.name, rejection instanceof CommandError, rejection.errors.name[0])
client.close()
`,
    )
    const env = { ...process.env, TARGET: host.target, TOKEN: host.administrator.token }
    const { stdout } = await run(process.execPath, [program], { env, cwd: directory })
    assert.equal(stdout, 'Elsewhere true Name is required.\n')
  })

  test('has types that reject undeclared fields', async () => {
    writeFileSync(
      join(directory, 'program.mts'),
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
    await run(process.execPath, [compiler, ...options, 'program.mts'], { cwd: directory }).catch(
      ({ stdout }) => assert.fail(stdout),
    )
  })

  test('calls REST from a plain module', async () => {
    const program = join(directory, 'rest.mjs')
    writeFileSync(
      program,
      `import { filter, limits, openTracker, TrackerError } from 'tracker-client'
const tracker = openTracker({ address: 'http://127.0.0.1:9', token: 'token', retries: 0 })
const rejection = await tracker.projects.list().catch((error) => error)
console.log(rejection instanceof TrackerError, rejection.status, filter\`name eq \${"O'Neil"}\`, limits.pageSize)
`,
    )
    const { stdout } = await run(process.execPath, [program], { cwd: directory })
    assert.equal(stdout, "true 0 name eq 'O''Neil' 100\n")
    const bundle = join(directory, 'node_modules', 'tracker-client', 'dist', 'tracker.js')
    assert.doesNotMatch(readFileSync(bundle, 'utf8'), /^import |require\(|from "/m)
  })

  test('has types for REST that work in browsers', async () => {
    writeFileSync(
      join(directory, 'browser.mts'),
      `import { openTracker, type Project } from 'tracker-client'
const tracker = openTracker({ address: '', token: () => 'token' })
export const project: Project = await tracker.projects.get('')
const { data } = await tracker.assignments.query({ fields: ['name'], expand: ['project.organization'] })
export const organization: string | undefined = data[0]?.project?.organization?.name
// @ts-expect-error: the query did not choose this field
data[0]?.amountHours
// @ts-expect-error: a project belongs to an organization
await tracker.projects.create({ name: 'x' })
`,
    )
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', '']
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    await run(process.execPath, [compiler, ...options, '--lib', 'es2024,dom', 'browser.mts'], {
      cwd: directory,
    }).catch(({ stdout }) => assert.fail(stdout))
  })

  test('contains no code of the hosts', () => {
    const bundle = readFileSync(
      join(directory, 'node_modules', 'tracker-client', 'dist', 'commands.js'),
      'utf8',
    )
    assert.doesNotMatch(bundle, /from "(?:pg|fastify|@node-rs|node:)/)
    assert.doesNotMatch(bundle, /budgetLimits|src\/(?:db|accounts|config|records)\//)
  })
})

const bufBin = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf')

/** buf knows nothing of this project: it gets the messages by reflection, and validates every file. */
describe('A strict client that uses reflection', () => {
  const host = fixture(startCommandsUnderTest)

  function bufCurl(path: string, ...options: string[]): Promise<{ code: number; output: string }> {
    const common = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge']
    const child = spawn(process.execPath, [bufBin, ...common, ...options, `http://${host.target}${path}`])
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? 1, output })))
  }

  test('lists all services and methods', async () => {
    const { code, output } = await bufCurl('', '--list-methods')
    assert.equal(code, 0, output)
    const methods = output.split('\n').filter((line) => line !== '')
    assert.equal(methods.filter((name) => name.startsWith('tracker.commands.v1.Commands/')).length, 55)
    assert.ok(methods.includes('grpc.health.v1.Health/Check'), output)
    assert.ok(methods.includes('grpc.health.v1.Health/List'), output)
  })

  test('reads the health of the host and of all services', async () => {
    const hostHealth = await bufCurl('/grpc.health.v1.Health/Check', '--data', '{}')
    assert.deepEqual(JSON.parse(hostHealth.output), { status: 'SERVING' })
    const all = await bufCurl('/grpc.health.v1.Health/List', '--data', '{}')
    assert.deepEqual(Object.keys(JSON.parse(all.output).statuses), [
      '',
      'tracker.commands.v1.Commands',
      'tracker.ext.v1.Commands',
    ])
  })

  test('creates a record and reads it', async () => {
    const header = ['--header', `Authorization: Bearer ${host.administrator.token}`]
    const created = await bufCurl(
      '/tracker.commands.v1.Commands/CreateOrganization',
      ...header,
      '--data',
      JSON.stringify({ name: 'Strictly speaking' }),
    )
    assert.equal(created.code, 0, created.output)
    const { organization, success } = JSON.parse(created.output)
    assert.equal(success, true)
    const found = await bufCurl(
      '/tracker.commands.v1.Commands/GetOrganizationById',
      ...header,
      '--data',
      JSON.stringify({ id: organization.id }),
    )
    assert.equal(JSON.parse(found.output).organization.name, 'Strictly speaking')
  })
})

/** Terminates TLS in front of a host, as a load balancer does. */
async function startTlsFront(
  target: string,
  { ca: cert, key }: { readonly ca: string; readonly key: string },
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const [host, port] = target.split(':')
  const server = createServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
    const inner = connect(Number(port), host)
    const destroyBoth = () => {
      socket.destroy()
      inner.destroy()
    }
    for (const end of [socket, inner]) end.on('error', destroyBoth)
    socket.pipe(inner).pipe(socket)
  })
  // A client that rejects the certificate ends the handshake.
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
