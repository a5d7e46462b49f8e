import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { collectFindings } from '../../src/cli/doctor/run-doctor.ts'
import { type ChildEnvironment, freePort, spawnStart } from '../support/child-host.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { robot } from '../support/known-clients.ts'
import { serviceClientSettings } from '../support/service-clients.ts'
import { until } from '../support/until.ts'

const environmentOfRobot = serviceClientSettings(robot) as ChildEnvironment

/** Starts `npm start -- …` as processes that share a database, with the settings of an operator. */
describe('Instances of hosts on one database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'instances-'))
  let store: FreshDatabase
  let common: ChildEnvironment
  let rest: string
  let identity: string
  const children: ReturnType<typeof spawnStart>[] = []
  before(async () => {
    store = await freshDatabase()
  })
  after(async () => {
    await store.drop()
    rmSync(directory, { recursive: true, force: true })
  })
  beforeEach(async () => {
    const [restPort, identityPort] = [String(await freePort()), String(await freePort())]
    common = {
      DATABASE_URL: store.url,
      DATA_DIR: directory,
      LOG_LEVEL: 'warn',
      METRICS: 'true',
      REST_PORT: restPort,
      IDENTITY_PORT: identityPort,
      COMMAND_PORT: String(await freePort()),
      COMMAND_DIAGNOSTICS_PORT: String(await freePort()),
      Jwt__SigningKey: 'a secret that all instances have in common',
      SVC_DEMO_LOGIN: robot.login,
      // Every request asks the store whether its client is still valid.
      Auth__SessionValidationCacheSeconds: '0',
    }
    rest = `http://localhost:${restPort}`
    identity = `http://localhost:${identityPort}`
  })
  afterEach(async () => {
    for (const child of children) child.process.kill('SIGTERM')
    await Promise.all(children.splice(0).map(({ exited }) => exited))
  })

  const start = (hosts: readonly string[], environment: ChildEnvironment = {}) => {
    const child = spawnStart({ ...common, ...environment }, hosts)
    children.push(child)
    return child
  }
  const readiness = async (address: string) => {
    const response = await fetch(`${address}/readyz`).catch(() => undefined)
    return response === undefined ? '' : `${response.status} ${await response.text()}`
  }
  const untilReady = (address: string) =>
    until(async () => (await readiness(address)) === '200 Healthy', `${address} to be ready`)
  const grant = async (address: string): Promise<string> => {
    const authorization = `Basic ${btoa(`${robot.id}:${robot.secret}`)}`
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    const response = await fetch(`${address}/connect/token`, {
      method: 'POST',
      headers: { authorization },
      body,
    })
    return ((await response.json()) as { access_token: string }).access_token
  }
  const statusWith = async (token: string) =>
    (await fetch(`${rest}/api/projects`, { headers: { authorization: `Bearer ${token}` } })).status
  const findings = async (environment: ChildEnvironment = {}) =>
    (await collectFindings({ ...common, ...environment })).map(
      ({ severity, subject, result }) => `${severity} ${subject} ${result}`,
    )
  const runCli = (...cliArguments: readonly string[]) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../src/cli.ts'), ...cliArguments], {
      env: { ...process.env, ...common },
    })

  test('accept the tokens of a client that another identity instance does not know', async () => {
    start(['rest', 'identity'], environmentOfRobot)
    await untilReady(rest)
    const token = await grant(identity)
    assert.equal(await statusWith(token), 200)
    assert.match((await findings()).join('\n'), /^ok instances 1 identity, 1 rest, with the same settings$/m)

    const otherPort = String(await freePort())
    const other = start(['identity'], {
      IDENTITY_PORT: otherPort,
      Identity__KeyEncryptionSecret: 'a newer secret, while it is being rotated',
      Identity__PreviousKeyEncryptionSecret: common.Jwt__SigningKey ?? '',
    })
    await untilReady(`http://localhost:${otherPort}`)
    assert.equal(await statusWith(token), 200)
    assert.match(other.output(), /Running instances have other settings than this one\./)
    const metrics = await (await fetch(`http://localhost:${otherPort}/metrics`)).text()
    assert.match(metrics, /^setting_disagreements\{setting="Identity__ServiceClients"\} 1$/m)
    assert.match(metrics, /^setting_disagreements\{setting="Identity__KeyEncryptionSecret"\} 1$/m)
    // By default, the issuer of an identity host is its own address.
    assert.match(metrics, /^setting_disagreements\{setting="Jwt__Issuer"\} 2$/m)
    const found = (await findings()).join('\n')
    const title = `identity on \\S+ \\(process ${other.process.pid}\\)`
    assert.match(
      found,
      /^error instances Jwt__Issuer differs: identity on .*, rest on .* \| identity on .*$/m,
    )
    assert.match(found, new RegExp(`^error instances ${title} does not know robot$`, 'm'))

    other.process.kill('SIGTERM')
    assert.equal(await other.exited, 0)
    assert.equal(await statusWith(token), 200)
    assert.equal(await statusWith(await grant(identity)), 200)
    assert.match((await findings()).join('\n'), /^ok instances 1 identity, 1 rest, with the same settings$/m)
  })

  test('reject the tokens of a client after `client end`', async () => {
    start(['rest', 'identity'], environmentOfRobot)
    await untilReady(rest)
    const token = await grant(identity)
    assert.equal(await statusWith(token), 200)
    const { stdout } = await runCli('client', 'end', robot.id)
    assert.match(stdout, /^The tokens of robot are revoked/)
    assert.equal(await statusWith(token), 401)
    assert.equal(await statusWith(await grant(identity)), 401)
    await assert.rejects(runCli('client', 'end', 'nobody'), /No identity host has declared nobody/)
  })

  test('of REST are not ready until they reach the issuer, by default the identity host', async () => {
    start(['rest'])
    const unready = /^503 .*"Not ready: tokens cannot be checked\."/
    await until(async () => unready.test(await readiness(rest)), 'REST to report that it is not ready')
    assert.match((await findings()).join('\n'), /^warning issuer .* cannot be read: .*ECONNREFUSED/m)
    start(['identity'], environmentOfRobot)
    await untilReady(rest)
    assert.equal(await statusWith(await grant(identity)), 200)
    assert.match(
      (await findings()).join('\n'),
      /^ok issuer (http:\/\/localhost:\d+)\/\.well-known\/openid-configuration answers with the keys of \1$/m,
    )
    const wrongIssuer = {
      Jwt__Issuer: 'http://id.example.com',
      Jwt__MetadataAddress: `${identity}/.well-known/openid-configuration`,
    }
    assert.match(
      (await findings(wrongIssuer)).join('\n'),
      /^error issuer .* belongs to the issuer http:\/\/localhost:\d+, not to http:\/\/id\.example\.com\.$/m,
    )
  })

  test('of the identity host do not start with another secret', async () => {
    start(['identity'])
    await untilReady(identity)
    const other = start(['identity'], {
      IDENTITY_PORT: String(await freePort()),
      Jwt__SigningKey: 'a secret that only this instance has',
    })
    assert.equal(await other.exited, 1)
    assert.match(other.output(), /The keys in the store were encrypted with another secret\./)
  })
})
