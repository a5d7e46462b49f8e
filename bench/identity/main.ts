import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { sql } from '../../src/db/sql.ts'
import { insertSession } from '../../src/hosts/identity/core/sessions.ts'
import { createOpaqueToken } from '../../src/hosts/identity/core/tokens.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { firstLine, postmasterOf } from '../child-process.ts'
import { numberOption } from '../options.ts'
import { cpuSecondsOf, cpuSecondsOfServer } from '../process-usage.ts'

const connections = 16
const clientSecret = 'a-secret-of-at-least-32-characters'

/**
 * Compares the cost of a token with the cost of its signatures alone, in the same run. `--seconds N` sets the
 * duration for each grant.
 */
export async function runIdentityBench(args: readonly string[]): Promise<void> {
  const seconds = numberOption(args, '--seconds', 5)
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-identity-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  let host: Host | undefined
  try {
    const refreshTokens = await seedSessions(store.url, connections)
    host = await startHost(store.url, key, dataDirectory)
    const bench = { host, key, seconds, postmaster: postmasterOf(dataDirectory) }
    const rows = [
      await measure(bench, { grant: 'client_credentials', signatures: 1, budget: 1.0 }, () => serviceGrant),
      await measure(
        { ...bench, key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey },
        { grant: 'client_credentials, ES256', signatures: 1, budget: 1.0 },
        () => ({ ...serviceGrant, client_id: 'modern' }),
      ),
      await measure(bench, { grant: 'refresh_token', signatures: 2, budget: 1.3 }, (index) => ({
        ...refreshGrant,
        refresh_token: refreshTokens[index] ?? '',
      })),
    ]
    console.table(rows)
    console.log(`${connections} connections, keep-alive, ${seconds} s each; CPU in milliseconds per request.`)
  } finally {
    host?.process.kill()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

type Form = Readonly<Record<string, string>>

const serviceGrant: Form = {
  grant_type: 'client_credentials',
  client_id: 'robot',
  client_secret: clientSecret,
}
const refreshGrant: Form = { grant_type: 'refresh_token', client_id: 'svc-webclient' }

interface Host {
  readonly process: ChildProcess
  readonly port: number
}

interface Bench {
  readonly host: Host
  readonly key: KeyObject
  readonly seconds: number
  readonly postmaster: number
}

interface Case {
  readonly grant: string
  readonly signatures: number
  /** The CPU time per request, in milliseconds, on a machine on which a signature takes 0.27 milliseconds. */
  readonly budget: number
}

async function measure(
  { host, key, seconds, postmaster }: Bench,
  { grant, signatures, budget }: Case,
  formOf: (index: number) => Form,
) {
  const warm = await runChains(
    host.port,
    1,
    Array.from({ length: connections }, (_, index) => formOf(index)),
  )
  const floors = [signingMilliseconds(key)]
  const before = [cpuSecondsOf(host.process.pid ?? 0), cpuSecondsOfServer(postmaster)] as const
  const { requests, failures, elapsedSeconds } = await runChains(host.port, seconds, warm.forms)
  const hostCpu = ((cpuSecondsOf(host.process.pid ?? 0) - before[0]) * 1000) / requests
  const storeCpu = ((cpuSecondsOfServer(postmaster) - before[1]) * 1000) / requests
  floors.push(signingMilliseconds(key))
  const signing = (signatures * (floors[0] ?? 0) + signatures * (floors[1] ?? 0)) / 2
  return {
    grant,
    'requests/s': Math.round(requests / elapsedSeconds),
    failures,
    'host CPU': rounded(hostCpu),
    'bare signing': rounded(signing),
    'host without signing': rounded(hostCpu - signing),
    'x signing': rounded(hostCpu / signing),
    'budget / its signing': `${budget} / ${rounded(signatures * 0.27)}`,
    'store CPU': rounded(storeCpu),
  }
}

const signaturesMeasured = 300

/** Returns the CPU time of one signature of as many bytes as a token has, in this process. */
function signingMilliseconds(key: KeyObject): number {
  const bytes = Buffer.alloc(650, 'x')
  const startedAt = process.cpuUsage()
  for (let count = 0; count < signaturesMeasured; count += 1) sign('sha256', bytes, key)
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / 1000 / signaturesMeasured
}

/** Runs a closed loop on each connection. A refresh uses the token that the previous one returned. */
async function runChains(port: number, seconds: number, starts: readonly Form[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: starts.length })
  const startedAt = performance.now()
  let requests = 0
  let failures = 0
  const forms = await Promise.all(
    starts.map(async (start) => {
      let form = start
      while (performance.now() < startedAt + seconds * 1000) {
        const { status, body } = await post(agent, port, form)
        requests += 1
        if (status !== 200) failures += 1
        if (body.refresh_token) form = { ...form, refresh_token: body.refresh_token }
      }
      return form
    }),
  )
  agent.destroy()
  return { requests, failures, forms, elapsedSeconds: (performance.now() - startedAt) / 1000 }
}

interface Answer {
  readonly status: number
  readonly body: { readonly refresh_token?: string }
}

function post(agent: Agent, port: number, form: Form): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path: '/connect/token', headers }
    const outgoing = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    outgoing.on('error', reject)
    outgoing.end(new URLSearchParams(form).toString())
  })
}

async function startHost(databaseUrl: string, key: KeyObject, dataDirectory: string): Promise<Host> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'host.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDirectory,
      IDENTITY_PORT: '0',
      LOG_LEVEL: 'warn',
      Jwt__SigningKey: 'the secret of this benchmark, long enough',
      Jwt__SigningPrivateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      RateLimit__Identity__PermitLimit: '0',
      Identity__ServiceClients__robot__Secret: clientSecret,
      Identity__ServiceClients__robot__Login: serviceLogin,
      Identity__ServiceClients__modern__Secret: clientSecret,
      Identity__ServiceClients__modern__Login: serviceLogin,
      Identity__ServiceClients__modern__SigningAlgorithm: 'ES256',
    },
  })
  return { process: child, port: Number(await firstLine(child)) }
}

const rounded = (number: number): number => Math.round(number * 1000) / 1000

const serviceLogin = 'robot@example.com'

/**
 * Creates the account of the service client, and for each chain an account with a session and a refresh
 * token.
 */
async function seedSessions(url: string, chains: number): Promise<string[]> {
  await migrate(url)
  const database = openDatabase({ url, applicationName: 'bench' })
  await insertAccount(database, { login: serviceLogin })
  const tokens: string[] = []
  for (let chain = 0; chain < chains; chain += 1) {
    const { id: accountId, ...account } = await insertAccount(database)
    const origin = {
      clientId: 'svc-webclient',
      address: '::1',
      userAgent: undefined,
      earlierSessionIds: [],
      language: undefined,
    }
    const session = await insertSession(
      { database, now: Date.now },
      { accountId, ...account, factorChanges: 0, hasVerifiedLogin: false, hasRole: false, isSeeded: false },
      origin,
    )
    const { token, id } = createOpaqueToken()
    await database.query(sql`
      insert into refresh_tokens (id, session_id, client_id, scope, created_at)
      values (${id}, ${session?.sessionId}, 'svc-webclient', 'openid profile svc.api offline_access', now())`)
    tokens.push(token)
  }
  await database.close()
  return tokens
}
