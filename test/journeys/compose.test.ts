import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../faults/bank-checks.ts'
import { freePort, spawnStart } from '../support/child-host.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { readCompose, type Service } from '../support/read-compose.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const services = readCompose({ POSTGRES_PASSWORD: 'secret' })
/** The containers that run this project's image. */
const hosts = Object.entries(services).filter(([, { build }]) => build !== undefined)

describe('compose.yaml', () => {
  test('wants a password for the database before anything starts', () => {
    assert.throws(() => readCompose({}), /POSTGRES_PASSWORD is missing/)
  })

  test('has two instances of the bank, alike, and nginx in front of exactly these', () => {
    assert.deepEqual(services['bank-1'], services['bank-2'])
    const { volumes = [], depends_on = {} } = services.bank ?? {}
    const [file = ''] = volumes[0]?.split(':') ?? []
    const upstreams = [...textOf(file).matchAll(/^\s*server (bank-\d):9999 /gm)].map(([, name]) => name)
    assert.deepEqual(upstreams, ['bank-1', 'bank-2'])
    assert.deepEqual(Object.keys(depends_on), upstreams)
  })

  test('sets only variables that README.md explains, and only their documented ports', () => {
    const readme = textOf('README.md')
    for (const [name, { environment, ports = [], healthcheck }] of hosts) {
      for (const variable of Object.keys(environment)) {
        assert.ok(readme.includes(`\`${variable}\``), `${name}: ${variable}`)
      }
      const [, port = ''] = /:(\d+)\//.exec(healthcheck?.test.at(-1) ?? '') ?? []
      assert.match(readme, new RegExp(`^\\| ${port} \\| `, 'm'), name)
      const published = ports.map((mapping) => mapping.split(':')[1] ?? '')
      assert.equal(
        published.includes(port),
        !name.startsWith('bank-'),
        `${name}: published is what is listened on`,
      )
      for (const each of published) assert.match(readme, new RegExp(`^\\| ${each} \\| `, 'm'), name)
    }
  })

  test('builds one image, without root, from files that are all let through', () => {
    const dockerfile = textOf('Dockerfile')
    assert.match(dockerfile, /^FROM node:24\S* AS packages$/m)
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
})

/** What an operator adds for a script. */
const robot = { Login: 'demo@example.com', Secret: 'a secret of more than 32 characters' }

describe('the hosts, started with the commands and variables of compose.yaml,', () => {
  let store: FreshDatabase
  let folder: string
  const ports: Record<string, number> = {}
  const running: Record<string, ReturnType<typeof spawnStart>> = {}
  before(async () => {
    store = await freshDatabase()
    folder = mkdtempSync(join(tmpdir(), 'compose-'))
    chmodSync(folder, 0o711)
    for (const [name] of hosts) ports[name] = await freePort()
    for (const [name, service] of hosts) {
      running[name] = spawnStart(onThisMachine(name, service), service.command)
    }
  })
  after(async () => {
    for (const child of Object.values(running)) child.process.kill('SIGTERM')
    await Promise.all(Object.values(running).map(({ exited }) => exited))
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Commands themselves travel over HTTP/2, which no health check of a container speaks. */
  const healthPortVariable = (host: string) =>
    host === 'commands' ? 'COMMAND_DIAGNOSTICS_PORT' : `${host.toUpperCase()}_PORT`

  /** Addresses of the containers' network become those of this test; everything else stays. */
  function onThisMachine(name: string, { command = [], environment }: Service): Record<string, string> {
    const own = Object.entries(environment).map(([variable, value]) => [
      variable,
      String(value).replace('http://identity:5200', `http://127.0.0.1:${ports.identity}`),
    ])
    return {
      ...Object.fromEntries(own),
      DATABASE_URL: store.url,
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'error',
      COMMAND_PORT: '0',
      [healthPortVariable(command[0] ?? '')]: String(ports[name]),
      Identity__ServiceClients__robot__Login: robot.Login,
      Identity__ServiceClients__robot__Secret: robot.Secret,
    }
  }

  /** The health check's own command, asking on the test's port. */
  async function checkHealth(name: string): Promise<number> {
    const [, , program = '', address = ''] = services[name]?.healthcheck?.test ?? []
    const there = address.replace(/:\d+\//, `:${ports[name]}/`)
    const [code] = await once(
      spawn(process.execPath, [program, there], { cwd: root, stdio: 'inherit' }),
      'exit',
    )
    return code
  }

  test('all become healthy, as their health checks see it', async () => {
    for (const [name] of hosts) {
      await until(async () => {
        assert.equal(running[name]?.process.exitCode, null, running[name]?.output())
        return (await checkHealth(name)) === 0
      }, name)
    }
  })

  test('a health check fails where nothing answers, and where the answer is no', async () => {
    const check = (address: string) => () =>
      execFileSync(process.execPath, ['scripts/check-health.ts', address], { cwd: root })
    assert.throws(check(`http://127.0.0.1:${await freePort()}/healthz`), { status: 1 })
    assert.throws(check(`http://127.0.0.1:${ports['bank-1']}/nowhere`), { status: 1 })
  })

  test('a token of the identity host opens the REST host, which fetches the keys within the network', async () => {
    const token = await fetch(`http://127.0.0.1:${ports.identity}/connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`robot:${encodeURIComponent(robot.Secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    }).then((response) => response.json() as Promise<{ access_token?: string }>)
    const { status } = await fetch(`http://127.0.0.1:${ports.rest}/api/projects`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    })
    assert.equal(status, 200, JSON.stringify(token))
  })

  test('both instances of the bank keep one ledger', async () => {
    const transaction = { valor: 7, tipo: 'c', descricao: 'compose' }
    const address = (name: string) => `http://127.0.0.1:${ports[name]}/clientes/1`
    await fetch(`${address('bank-1')}/transacoes`, {
      method: 'POST',
      body: JSON.stringify(transaction),
      headers: { 'content-type': 'application/json' },
    })
    const statement = await fetch(`${address('bank-2')}/extrato`).then((response) => response.text())
    assert.equal(JSON.parse(statement).saldo.total, 7)
  })
})
