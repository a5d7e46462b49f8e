import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { hosts, secrets, services } from '../support/deployed-hosts.ts'
import { readCompose } from '../support/read-compose.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

describe('compose.yaml', () => {
  test('wants every secret before anything starts', () => {
    for (const name of Object.keys(secrets))
      assert.throws(() => readCompose({ ...secrets, [name]: '' }), new RegExp(`${name} is missing`))
  })

  test('has two instances of the bank, alike, and nginx in front of exactly these', () => {
    assert.deepEqual(services['bank-1'], services['bank-2'])
    const { volumes = [], depends_on = {} } = services.bank ?? {}
    const [file = ''] = volumes[0]?.split(':') ?? []
    const upstreams = [...textOf(file).matchAll(/^\s*server (bank-\d):9999 /gm)].map(([, name]) => name)
    assert.deepEqual(upstreams, ['bank-1', 'bank-2'])
    assert.deepEqual(Object.keys(depends_on), upstreams)
  })

  test('sets only variables that docs/configuration.md explains, and only documented ports', () => {
    const [readme, configuration] = [textOf('README.md'), textOf('docs/configuration.md')]
    for (const [name, { environment, ports = [], healthcheck }] of hosts) {
      for (const variable of Object.keys(environment)) {
        assert.ok(configuration.includes(`\`${variable}\``), `${name}: ${variable}`)
      }
      const [, port = ''] = /:(\d+)\//.exec(healthcheck?.test.at(-1) ?? '') ?? []
      assert.match(readme, new RegExp(`^\\| ${port} \\| `, 'm'), name)
      assert.deepEqual(ports, [], `${name}: only the proxies are published`)
    }
  })

  test('builds one image, without root, from files that are all let through', () => {
    const dockerfile = textOf('Dockerfile')
    assert.match(dockerfile, /^ARG NODE_IMAGE=node:24\S*\nFROM \$\{NODE_IMAGE\} AS packages$/m)
    assert.match(dockerfile, /^USER node$/m)
    assert.match(dockerfile, /^ENTRYPOINT \["node", "src\/cli.ts", "start"\]$/m)
    const letThrough = [...textOf('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path ?? '')
    assert.deepEqual(
      letThrough.filter((path) => !existsSync(join(root, path))),
      [],
    )
    const program = hosts[0]?.[1].healthcheck?.test[2] ?? ''
    assert.ok(letThrough.includes(program), program)
  })

  test('publishes nothing but nginx', () => {
    const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0)
    for (const [name, { image }] of published) assert.match(image ?? '', /^nginx:/, name)
    const ports = published.flatMap(([, { ports = [] }]) => ports.map((mapping) => mapping.split(':')[1]))
    assert.deepEqual(ports.sort(), ['5100', '5200', '5300', '5400', '9999'])
  })

  test('gives each secret to the containers that use it, and to no other', () => {
    const holdersOf = (secret: string) =>
      Object.entries(services).flatMap(([name, service]) =>
        JSON.stringify(service).includes(secret) ? [name] : [],
      )
    const holders = Object.fromEntries(
      Object.entries(secrets).map(([name, secret]) => [name, holdersOf(secret)]),
    )
    assert.deepEqual(holders, {
      POSTGRES_PASSWORD: ['database'],
      MIGRATION_PASSWORD: ['database', 'prepare'],
      REST_PASSWORD: ['database', 'rest'],
      COMMANDS_PASSWORD: ['database', 'commands'],
      IDENTITY_PASSWORD: ['database', 'identity'],
      BANK_PASSWORD: ['database', 'bank-1', 'bank-2'],
      IDENTITY_KEY_SECRET: ['identity'],
    })
  })

  test('keeps the web client away from the store, and every container from root and from writing', () => {
    const { environment, networks, volumes } = services.web ?? assert.fail()
    assert.deepEqual([Object.hasOwn(environment, 'DATABASE_URL'), networks, volumes], [false, ['front'], []])
    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.read_only, true, name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
      assert.ok(service.build !== undefined || ['postgres', 'nginx'].includes(service.user ?? ''), name)
    }
  })

  test('has its secrets from a script that never overwrites them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'make-env-'))
    try {
      mkdirSync(join(folder, 'deploy'))
      cpSync(join(root, 'deploy', 'make-env'), join(folder, 'deploy', 'make-env'))
      const make = () => execFileSync('sh', ['deploy/make-env'], { cwd: folder, stdio: 'pipe' })
      make()
      const text = readFileSync(join(folder, '.env'), 'utf8')
      assert.deepEqual(
        [...text.matchAll(/^(\w+)=[0-9a-f]{48}$/gm)].map(([, name]) => name ?? ''),
        Object.keys(secrets),
      )
      assert.equal(statSync(join(folder, '.env')).mode & 0o077, 0)
      assert.throws(make, /is there already/)
      assert.equal(readFileSync(join(folder, '.env'), 'utf8'), text)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
