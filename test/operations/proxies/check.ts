// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials } from '@grpc/grpc-js'
import { openCommandClient } from '../../../clients/typescript/src/commands.ts'
import { clientCredentials, openTracker } from '../../../clients/typescript/src/tracker.ts'
import { createPkce, requestOf } from '../../support/browser.ts'
import { openDotnetCalls } from '../../support/dotnet-calls.ts'

/**
 * Does what every client does through one proxy, with the public addresses. TLS is checked against the
 * temporary certificate authority.
 */
const [proxy = ''] = process.argv.slice(2)
const { AUTHORITY = '', HOSTS_LOG = '' } = process.env
const ca = readFileSync(AUTHORITY, 'utf8')
const at = (name: string) => `https://${name}.example.com:8443`
const token = clientCredentials({
  issuer: at('id'),
  clientId: 'robot',
  clientSecret: '0123456789abcdef0123456789abcdef',
})
const report = (text: string) => console.log(`${proxy}: ${text}`)

/** Returns the body, the status and the target of a redirect. */
function curl(...words: string[]): { status: number; location: string; body: string } {
  const form = ['-sS', '--cacert', AUTHORITY, '-w', '\n%{http_code} %{redirect_url}', ...words]
  const lines = execFileSync('curl', form, { encoding: 'utf8' }).split('\n')
  const [status = '', location = ''] = lines.pop()?.split(' ') ?? []
  return { status: Number(status), location, body: lines.join('\n') }
}

const tracker = openTracker({ address: at('api'), token })
const organization = await tracker.organizations.create({ name: `Through ${proxy}` })
assert.equal((await tracker.organizations.get(organization.id)).name, `Through ${proxy}`)
report('REST writes and reads.')

const listeningEnd = new AbortController()
const names: string[] = []
const sentAt = new Map<string, number>()
const waits: number[] = []
/** The host sends a comment after 15 s without an event. Without it, the client would open the stream again. */
const silenceMilliseconds = 20_000
let reopened = 0
const listening = (async () => {
  for await (const { data } of tracker.organizations.live(
    { search: `Through ${proxy}` },
    { signal: listeningEnd.signal, silenceMilliseconds, onReconnect: () => (reopened += 1) },
  )) {
    for (const { name } of data) {
      if (!names.includes(name) && sentAt.has(name)) waits.push(Date.now() - (sentAt.get(name) ?? 0))
      names.push(name)
    }
  }
})().catch(() => undefined)
for (const count of [1, 2, 3]) {
  await sleep(1500)
  const name = `Through ${proxy}, event ${count}`
  sentAt.set(name, Date.now())
  await tracker.organizations.create({ name })
}
await sleep(2500)
assert.equal(waits.length, 3, 'not every write arrived')
await sleep(silenceMilliseconds)
assert.equal(reopened, 0, 'the stream was opened again')
listeningEnd.abort()
await listening
report(
  `events arrive while the stream is open, ${Math.max(...waits)} ms after the write at most, and it stays open.`,
)

const target = 'commands.example.com:8443'
const client = openCommandClient({ target, token, tls: { ca } })
const { project } = await client.createProject({
  name: `By gRPC through ${proxy}`,
  organizationId: organization.id,
})
assert.equal(project?.name, `By gRPC through ${proxy}`)
const many = Array.from({ length: 100 }, () => client.listProjects({ pagination: { pageSize: 1 } }))
assert.equal((await Promise.all(many)).length, 100)
client.close()
report('commands go over HTTP/2 and TLS, a hundred at once on one connection.')

const dotnet = openDotnetCalls(target, credentials.createSsl(Buffer.from(ca)))
const listed = await dotnet.call(
  'Project',
  'ListProjectsCommand',
  { Pagination: {} },
  { token: await token() },
)
assert.equal(listed.code, 0, listed.details)
dotnet.close()
report('the .NET wire too.')

const pkce = createPkce()
const redirectUri = `${at('app')}/signin-callback/`
const jar = join(tmpdir(), `jar-${randomBytes(6).toString('hex')}`)
const browser = (...words: string[]) => curl('-b', jar, '-c', jar, ...words)
const parameters = new URLSearchParams(requestOf(pkce, { redirect_uri: redirectUri }))
let page = browser(`${at('id')}/connect/authorize?${parameters}`)
while (page.location.startsWith(at('id'))) page = browser(page.location)
assert.ok(page.location.startsWith(`${at('app')}/login/`), page.location || page.body)
assert.match(browser(page.location).body, /<!doctype html>/i)
const fields = {
  login: 'demo@example.com',
  password: 'Correct-Horse-1',
  authRequest: new URL(page.location).searchParams.get('authRequest') ?? '',
}
let step = browser(
  '-H',
  `Origin: ${at('app')}`,
  '-d',
  String(new URLSearchParams(fields)),
  `${at('id')}/api/account/login`,
)
while (step.location && !step.location.startsWith(redirectUri)) step = browser(step.location)
assert.match(
  readFileSync(jar, 'utf8'),
  /#HttpOnly_id\.example\.com\tFALSE\t\/[^\t]*\tTRUE\t/,
  'no cookie is Secure and HttpOnly',
)
const code = new URL(step.location).searchParams.get('code') ?? assert.fail(step.body)
const redeemed = browser(
  '-d',
  String(
    new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'svc-webclient',
      code,
      redirect_uri: redirectUri,
      code_verifier: pkce.verifier,
    }),
  ),
  `${at('id')}/connect/token`,
)
assert.equal(redeemed.status, 200, redeemed.body)
const { access_token: ownToken } = JSON.parse(redeemed.body)
assert.equal(curl('-H', `Authorization: Bearer ${ownToken}`, `${at('api')}/api/projects`).status, 200)
report('a user signs in as with a browser, and reads with the token.')

const currentTotal = () => JSON.parse(curl(`${at('bank')}/clientes/2/extrato`).body).saldo.total
const before = currentTotal()
const transaction = [
  '-H',
  'Content-Type: application/json',
  '-d',
  '{"valor":1,"tipo":"c","descricao":"proxy"}',
]
for (let count = 0; count < 20; count += 1)
  assert.equal(curl(...transaction, `${at('bank')}/clientes/2/transacoes`).status, 200)
assert.equal(currentTotal(), before + 20)
assert.equal(curl(`${at('bank')}/clientes/6/extrato`).status, 404)
report('the bank has each of twenty transactions once.')

// The limiter and the log must see the client, not the proxy, and not what the client claims.
const forged = [
  '-H',
  'X-Forwarded-For: 203.0.113.7',
  '-u',
  'robot:wrong',
  '-d',
  'grant_type=client_credentials',
]
assert.equal(curl(...forged, `${at('id')}/connect/token`).status, 401)
await sleep(300)
const rejected = readFileSync(HOSTS_LOG, 'utf8')
  .split('\n')
  .filter((line) => line.includes('"security":"client-refused"'))
assert.equal(JSON.parse(rejected.at(-1) ?? '{}').address, '127.0.0.1')
// The metrics stay private in every spelling that a host would accept.
for (const name of ['app', 'api', 'id', 'bank'])
  for (const path of [
    '/metrics',
    '/%6detrics',
    '/%6D%65trics?of=all',
    '/metri%63s?',
    '/METRICS/',
    '//Metrics',
  ])
    assert.equal(curl('--request-target', path, at(name)).status, 404, `${name}${path}`)
assert.throws(() => curl(`${at('unknown')}/`))
assert.match(curl('http://api.example.com:8080/a').location, /^https:\/\/api\.example\.com/)
for (const name of ['app', 'api', 'id', 'bank']) {
  const { body } = curl('-D', '-', '-o', '/dev/null', `${at(name)}/healthz`)
  assert.deepEqual(body.match(/^strict-transport-security: .*$/gim)?.length, 1, `${name}: ${body}`)
}
assert.match(curl('--http2', '-D', '-', '-o', '/dev/null', `${at('api')}/healthz`).body, /^HTTP\/2 200/)
report('hosts see the address of the client; metrics, unknown names and plain HTTP are not served.')
