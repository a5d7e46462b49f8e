import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { makeCertificate } from '../support/certificate.ts'
import { freePort } from '../support/child-host.ts'
import { fixture } from '../support/fixture.ts'
import { nginxProgram, startNginxOn } from '../support/nginx.ts'
import { until } from '../support/until.ts'

const hostNames = ['app', 'api', 'id', 'bank']

/** Spellings of the path that a collector uses, or an attacker who tries to get around a rule. */
const spellings = [
  '/metrics',
  '/metrics?of=all',
  '/METRICS',
  '/Metrics',
  '/metrics/',
  '/METRICS/',
  '/metrics//',
  '//metrics',
  '/%6detrics',
  '/%4DETRICS/',
  '/metric%73?x',
  '/%6D%65%74%72%69%63%73',
  '//Metrics/',
  '/metrics%2F',
]

/** Paths that HAProxy itself requests. */
const healthChecks: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

interface Upstream {
  readonly port: number
  readonly requestedPaths: string[]
}

/** Stands in for every host and answers every request, so that only the proxy can keep a path private. */
async function startUpstream(): Promise<Upstream> {
  const requestedPaths: string[] = []
  const server = createServer((request, response) => {
    requestedPaths.push(request.url ?? '')
    response.end('everything')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, requestedPaths }
}

/** Requests a path under the name of a host, and returns the status. */
type Ask = (name: string, path: string) => Promise<number>

/** Also checks that other paths are passed on, so that a rule that hides everything is noticed. */
async function requirePrivate(
  ask: Ask,
  { requestedPaths }: Upstream,
  hostNames: readonly string[],
): Promise<void> {
  for (const name of hostNames) {
    assert.equal(await ask(name, '/Healthz/'), 200, name)
    assert.equal(await ask(name, '/metricsx'), 200, name)
    requestedPaths.length = 0
    for (const path of spellings) assert.equal(await ask(name, path), 404, `${name} ${path}`)
    assert.deepEqual(
      requestedPaths.filter((path) => !healthChecks.has(path)),
      [],
    )
  }
}

const statusOf = async (outgoing: ReturnType<typeof requestPlain>): Promise<number> => {
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  response.resume()
  return response.statusCode
}

describe('The metrics cannot be read, whatever the spelling of their path, through', () => {
  const upstream = fixture(startUpstream)

  const tlsAsk =
    (port: number, ca: string): Ask =>
    (name, path) => {
      const host = `${name}.example.com`
      const options = { host: '127.0.0.1', port, path, ca, servername: host, headers: { host }, agent: false }
      return statusOf(requestTls(options))
    }
  const certificate = (t: TestContext) =>
    makeCertificate(
      t,
      hostNames.map((name) => `${name}.example.com`),
    )

  test('nginx, without TLS', { skip: nginxProgram === undefined && 'nginx is not installed' }, async () => {
    const ports: Readonly<Record<string, number>> = {
      app: await freePort(),
      api: await freePort(),
      id: await freePort(),
    }
    await using _nginx = await startNginxOn('nginx/proxy.conf', (text) =>
      text
        .replaceAll(/server (web|rest|identity|commands|bank):\d+/g, `server 127.0.0.1:${upstream.port}`)
        .replace('listen 5400', `listen 127.0.0.1:${ports.app}`)
        .replace('listen 5100', `listen 127.0.0.1:${ports.api}`)
        .replace('listen 5200', `listen 127.0.0.1:${ports.id}`)
        .replace('listen 5300', `listen unix:nginx-${ports.id}.sock`),
    )
    const ask: Ask = (name, path) =>
      statusOf(requestPlain({ host: '127.0.0.1', port: ports[name], path, agent: false }))
    await requirePrivate(ask, upstream, Object.keys(ports))
  })

  test('nginx, with TLS', { skip: nginxProgram === undefined && 'nginx is not installed' }, async (t) => {
    const { folder, ca } = certificate(t)
    const [port, plainPort] = [await freePort(), await freePort()]
    await using _nginx = await startNginxOn('nginx/proxy-tls.conf', (text) =>
      text
        .replaceAll(/server (web|rest|identity|commands|bank):\d+/g, `server 127.0.0.1:${upstream.port}`)
        .replaceAll('listen 8443', `listen 127.0.0.1:${port}`)
        .replace('listen 8080', `listen 127.0.0.1:${plainPort}`)
        .replaceAll('/etc/nginx/tls', folder),
    )
    await requirePrivate(tlsAsk(port, ca), upstream, hostNames)
  })

  const haproxyProgram = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path))

  test('HAProxy', { skip: haproxyProgram === undefined && 'HAProxy is not installed' }, async (t) => {
    const { folder: tls, ca } = certificate(t)
    const [port, plainPort] = [await freePort(), await freePort()]
    const folder = mkdtempSync(join(tmpdir(), 'haproxy-'))
    const deployed = join(import.meta.dirname, '..', '..', 'deploy', 'haproxy', 'haproxy.cfg')
    writeFileSync(
      join(folder, 'tracker.pem'),
      ['certificate.pem', 'key.pem'].map((name) => readFileSync(join(tls, name), 'utf8')).join('\n'),
    )
    writeFileSync(
      join(folder, 'haproxy.cfg'),
      readFileSync(deployed, 'utf8')
        .replaceAll(/(server \w+-\d) (?:web|rest|identity|bank-\d):\d+/g, `$1 127.0.0.1:${upstream.port}`)
        .replace('bind :8443', `bind 127.0.0.1:${port}`)
        .replace('bind :8080', `bind 127.0.0.1:${plainPort}`)
        .replaceAll('/etc/haproxy/tls', folder),
    )
    const haproxy = spawn(haproxyProgram ?? '', ['-db', '-f', join(folder, 'haproxy.cfg')], {
      stdio: 'ignore',
    })
    const ended = once(haproxy, 'exit')
    t.after(async () => {
      haproxy.kill()
      await ended
      rmSync(folder, { recursive: true })
    })
    const ask = tlsAsk(port, ca)
    await until(
      () =>
        ask('app', '/').then(
          (status) => status === 200,
          () => false,
        ),
      'HAProxy to reach the host',
    )
    await requirePrivate(ask, upstream, hostNames)
  })
})
