import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { openCommandClient } from '../../clients/typescript/src/commands.ts'
import { type ChildHost, freePort, spawnStart, startChild } from '../support/child-host.ts'
import { isAlive } from '../support/embedded-store.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { insertAccount } from '../support/insert-account.ts'
import { openEventStream } from '../support/live-events.ts'
import { startTestIssuer } from '../support/test-issuer.ts'
import { until } from '../support/until.ts'

const processes = 2

/** Sends a request on a new connection, which reaches the next process. */
function get(address: string, headers = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { agent: new Agent({ keepAlive: false }), headers }, async (response) => {
      let text = ''
      for await (const piece of response) text += piece
      resolve({ status: response.statusCode ?? 0, text })
    })
    sent.on('error', reject).end()
  })
}

const workersOf = ({ process: { pid } }: ChildHost): number[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => (line.includes('cli.ts worker ') ? Number(line.trim().split(' ')[0]) : []))

async function startProcesses(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const [store, issuer] = await Promise.all([freshDatabase(), startTestIssuer()])
  const account = await insertAccount(store.database)
  const host = await startChild({
    DATABASE_URL: store.url,
    Jwt__Issuer: issuer.issuer,
    Jwt__MetadataAddress: issuer.metadataAddress,
    SVC_ADMIN_LOGINS: account.login,
    PROCESSES: String(processes),
    LOG_LEVEL: 'warn',
    METRICS: 'true',
    ...environment,
  })
  t.after(async () => {
    await host.end('SIGTERM')
    await issuer.stop()
    await store.drop()
  })
  const token = await issuer.signIn(store.database, account.id, { admin: true })
  await untilAllListen(host)
  return { ...host, host, store, token, headers: { authorization: `Bearer ${token}` } }
}

const metricsOf = async (address: string) => (await get(`${address}/metrics`)).text

const sumOf = (page: string, line: RegExp): number =>
  [...page.matchAll(line)].reduce((sum, [, value]) => sum + Number(value), 0)

/** The metrics contain the sum of the budgets of all processes. */
const connectionBudget = /^budget_limit\{budget="httpConnections",.*\} (\d+)$/gm

const untilAllListen = ({ address }: Pick<ChildHost, 'address'>) =>
  until(async () => sumOf(await metricsOf(address), connectionBudget) === 20_000, 'all processes')

describe('Hosts in several processes on one port', { skip: process.platform === 'win32' }, () => {
  test('serve requests in every process, each of which returns the metrics of all', async (t) => {
    const { address, headers, host } = await startProcesses(t)
    assert.equal(workersOf(host).length, processes)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => get(`${address}/api/organizations`, headers)),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const counted = /^http_request_duration_seconds_count\{[^}]*route="\/api\/organizations"[^}]*\} (\d+)$/gm
    for (let scrape = 0; scrape < 2 * processes; scrape += 1)
      assert.equal(sumOf(await metricsOf(address), counted), 20)
  })

  test('count the requests of an address together', async (t) => {
    const { address } = await startProcesses(t, {
      RateLimit__Rest__PermitLimit: '40',
      RateLimit__Rest__QueueLimit: '0',
    })
    const statuses: number[] = []
    for (let count = 0; count < 60; count += 1) statuses.push((await get(`${address}/`)).status)
    const served = statuses.filter((status) => status === 200).length
    // The requests of `startProcesses` for metrics count, too.
    assert.ok(served > 20 && served < 40, `${served}`)
    assert.deepEqual([...new Set(statuses.slice(served))], [429])
  })

  test('update the live listings of each process after a write in any of them', async (t) => {
    const { address, token, headers } = await startProcesses(t)
    const readers = await Promise.all(
      Array.from({ length: 2 * processes }, () => openEventStream(address, '/api/organizations', { token })),
    )
    for (const reader of readers) await reader.next()
    const written = await fetch(`${address}/api/organization`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Seen by all' }),
    })
    assert.equal(written.status, 200)
    await Promise.all(
      readers.map((reader) => reader.nextWhere(({ data }) => JSON.stringify(data).includes('Seen by all'))),
    )
    for (const reader of readers) reader.close()
  })

  test('replace a process that exits, and log that', async (t) => {
    const { address, host, output, headers } = await startProcesses(t)
    const [victim = 0, survivor = 0] = workersOf(host)
    process.kill(victim, 'SIGKILL')
    await until(
      () => workersOf(host).length === processes && !workersOf(host).includes(victim),
      'another process',
    )
    await untilAllListen(host)
    assert.ok(isAlive(survivor))
    assert.match(
      output(),
      /"ending":"SIGKILL","pid":\d+,"msg":"A process of the hosts ended; another one starts\."/,
    )
    for (let count = 0; count < 2 * processes; count += 1)
      assert.equal((await get(`${address}/api/organizations`, headers)).status, 200)
  })

  test('are not ready in any process while they drain, then finish their requests and exit', async (t) => {
    const { address, host, headers } = await startProcesses(t, { DRAIN_SECONDS: '2' })
    const workers = workersOf(host)
    const ended = host.end('SIGTERM')
    const readiness = async () => (await get(`${address}/readyz`)).status
    await until(async () => (await readiness()) === 503, 'the announcement')
    await until(async () => {
      const statuses = await Promise.all(Array.from({ length: 2 * processes }, readiness))
      return statuses.every((status) => status === 503)
    }, 'the announcement of each process')
    const served = await Promise.all(
      Array.from({ length: 10 }, () => get(`${address}/api/organizations`, headers)),
    )
    assert.deepEqual([...new Set(served.map(({ status }) => status))], [200])
    assert.equal(await ended, 0)
    assert.deepEqual(workers.filter(isAlive), [])
  })

  test('leave no process behind when their supervisor is killed', async (t) => {
    const { host } = await startProcesses(t)
    const workers = workersOf(host)
    await host.end('SIGKILL')
    await until(() => !workers.some(isAlive), 'all processes to end')
  })

  test('report a port that is in use, and exit', async (t) => {
    const store = await freshDatabase()
    const occupant = createServer()
    await once(occupant.listen(0, '127.0.0.1'), 'listening')
    t.after(async () => {
      occupant.close()
      await store.drop()
    })
    const { port } = occupant.address() as { port: number }
    const child = spawnStart({ DATABASE_URL: store.url, PROCESSES: '2', REST_PORT: String(port) })
    assert.equal(await child.exited, 1)
    assert.match(child.output(), new RegExp(`Port ${port} is in use\\. Stop what uses it, or set REST_PORT`))
  })

  test('share keys and tokens, so that each process accepts what any of them has issued', async (t) => {
    const store = await freshDatabase()
    const ports = await Promise.all(Array.from({ length: 4 }, freePort))
    const [rest, identity, command, diagnostics] = ports.map(String)
    const secret = 'a secret of more than 32 characters'
    const child = spawnStart(
      {
        DATABASE_URL: store.url,
        PROCESSES: String(processes),
        REST_PORT: `${rest}`,
        IDENTITY_PORT: `${identity}`,
        COMMAND_PORT: `${command}`,
        COMMAND_DIAGNOSTICS_PORT: `${diagnostics}`,
        Jwt__Issuer: `http://127.0.0.1:${identity}`,
        Jwt__SigningKey: 'of all processes, with more than 32 characters',
        SVC_DEMO_PASSWORD: 'Long enough, 1 time',
        RateLimit__Identity__PermitLimit: '0',
        Identity__ServiceClients__robot__Login: 'demo@example.com',
        Identity__ServiceClients__robot__Secret: secret,
      },
      ['rest', 'identity', 'commands'],
    )
    t.after(async () => {
      child.process.kill('SIGTERM')
      await child.exited
      await store.drop()
    })
    await until(async () => {
      assert.equal(child.process.exitCode, null, child.output())
      const answers = [rest, identity, diagnostics].map((port) =>
        fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined),
      )
      return (await Promise.all(answers)).every((answer) => answer?.status === 200)
    }, 'the hosts')
    const tokenFor = async (scope: string) => {
      const response = await fetch(`http://127.0.0.1:${identity}/connect/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`robot:${encodeURIComponent(secret)}`)}`,
          connection: 'close',
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      })
      return ((await response.json()) as { access_token: string }).access_token
    }
    for (let count = 0; count < 2 * processes; count += 1) {
      const authorization = `Bearer ${await tokenFor('svc.api')}`
      assert.equal((await get(`http://127.0.0.1:${rest}/api/organizations`, { authorization })).status, 200)
      const client = openCommandClient({ target: `127.0.0.1:${command}`, token: () => tokenFor('svc.grpc') })
      const { result } = await client.listOrganizations({ pagination: {} })
      assert.equal(result?.totalCount, 0)
      client.close()
    }
  })
})
