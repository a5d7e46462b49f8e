import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, request as requestPlain } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestTls, type RequestOptions as TlsOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { credentials } from '@grpc/grpc-js'
import { makeCertificate } from '../support/certificate.ts'
import { freePort } from '../support/child-host.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { nginxProgram, startNginxOn } from '../support/nginx.ts'

interface Behind {
  readonly ports: Readonly<Record<string, number>>
  tokenFor(scope: string): Promise<string>
}

/** The names of compose.yaml's containers become the addresses of this test. */
const adaptUpstreams = (text: string, ports: Behind['ports']) =>
  text
    .replace('web:5400', `127.0.0.1:${ports.web}`)
    .replace('rest:5100', `127.0.0.1:${ports.rest}`)
    .replace('identity:5200', `127.0.0.1:${ports.identity}`)
    .replace('commands:5300', `127.0.0.1:${ports.command}`)
    .replace('bank:9999', `127.0.0.1:${ports['bank-1']}`)

/** Real nginx with the files of `deploy/nginx/`, before hosts that run. */
export function throughProxies(behind: () => Behind): void {
  describe('through nginx', {
    skip: nginxProgram === undefined && 'nginx is not installed: its configuration stays untested',
  }, () => {
    test('without TLS every host answers on its port', async (t) => {
      const { ports, tokenFor } = behind()
      const own = {
        web: await freePort(),
        rest: await freePort(),
        identity: await freePort(),
        command: await freePort(),
      }
      const nginx = await startNginxOn('nginx/proxy.conf', (text) =>
        adaptUpstreams(text, ports)
          .replace('listen 5400', `listen 127.0.0.1:${own.web}`)
          .replace('listen 5100', `listen 127.0.0.1:${own.rest}`)
          .replace('listen 5200', `listen 127.0.0.1:${own.identity}`)
          .replace('listen 5300', `listen 127.0.0.1:${own.command}`),
      )
      t.after(nginx.stop)
      nginx.checkConfiguration()
      const ask = (port: number, path: string) =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
      for (const port of [own.web, own.rest, own.identity]) {
        assert.equal((await ask(port, '/healthz')).status, 200)
        assert.equal((await ask(port, '/metrics')).status, 404)
      }
      await requireEvents(requestPlain, { host: '127.0.0.1', port: own.rest }, await tokenFor('svc.api'))
      const calls = openCommandCalls(`127.0.0.1:${own.command}`)
      const listed = await calls.call(
        'ListOrganizations',
        { pagination: {} },
        { token: await tokenFor('svc.grpc') },
      )
      calls.close()
      assert.equal(listed.code, 0, listed.details)
    })

    test('an answer keeps its date, which is that of its content', async (t) => {
      const date = new Date(0).toUTCString()
      const host = createServer((_request, response) => response.setHeader('date', date).end())
      host.listen(0, '127.0.0.1')
      await once(host, 'listening')
      t.after(() => host.close())
      const { port: rest } = host.address() as AddressInfo
      const [own, ...others] = [await freePort(), await freePort(), await freePort(), await freePort()]
      const nginx = await startNginxOn('nginx/proxy.conf', (text) =>
        adaptUpstreams(text, { ...behind().ports, rest })
          .replace('listen 5100', `listen 127.0.0.1:${own}`)
          .replace('listen 5400', `listen 127.0.0.1:${others[0]}`)
          .replace('listen 5200', `listen 127.0.0.1:${others[1]}`)
          .replace('listen 5300', `listen 127.0.0.1:${others[2]}`),
      )
      t.after(nginx.stop)
      const { headers } = await get(requestPlain, { host: '127.0.0.1', port: own, path: '/api/workflows' })
      assert.equal(headers.date, date)
    })

    test('with TLS, by name: pages, events, HTTP/2 and commands', async (t) => {
      const { ports, tokenFor } = behind()
      const { folder, ca } = makeCertificate(
        t,
        ['app', 'api', 'id', 'commands', 'bank'].map((name) => `${name}.example.com`),
      )
      const [port, plainPort] = [await freePort(), await freePort()]
      const nginx = await startNginxOn('nginx/proxy-tls.conf', (text) =>
        adaptUpstreams(text, ports)
          .replaceAll('listen 8443', `listen 127.0.0.1:${port}`)
          .replace('listen 8080', `listen 127.0.0.1:${plainPort}`)
          .replaceAll('/etc/nginx/tls', folder),
      )
      t.after(nginx.stop)
      nginx.checkConfiguration()
      const at = (servername: string) => ({
        host: '127.0.0.1',
        port,
        ca,
        servername,
        headers: { host: servername },
      })

      for (const name of ['app', 'api', 'id', 'bank']) {
        const { status, headers } = await get(requestTls, { ...at(`${name}.example.com`), path: '/healthz' })
        assert.equal(status, 200, name)
        assert.match(String(headers['strict-transport-security']), /max-age=\d{8}/)
      }
      await requireEvents(requestTls, at('api.example.com'), await tokenFor('svc.api'))

      const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: 'api.example.com' })
      t.after(() => session.close())
      const stream = session.request({ ':path': '/healthz', ':authority': 'api.example.com' })
      const [answer] = await once(stream, 'response')
      assert.equal(answer[':status'], 200)
      stream.close()

      const calls = openCommandCalls(
        `127.0.0.1:${port}`,
        {
          'grpc.ssl_target_name_override': 'commands.example.com',
          'grpc.default_authority': 'commands.example.com',
        },
        credentials.createSsl(Buffer.from(ca)),
      )
      const token = await tokenFor('svc.grpc')
      const created = await calls.call('CreateOrganization', { name: 'Through TLS' }, { token })
      assert.deepEqual(
        [created.code, created.result?.organization?.name],
        [0, 'Through TLS'],
        created.details,
      )
      // UNAUTHENTICATED comes from the host, with its own sentence.
      assert.equal((await calls.call('ListOrganizations', {})).code, 16)
      calls.close()

      await assert.rejects(
        get(requestTls, { ...at('unknown.example.com'), path: '/' }),
        /handshake|unrecognized/i,
      )
      const moved = await get(requestPlain, {
        host: '127.0.0.1',
        port: plainPort,
        path: '/a',
        headers: { host: 'app.example.com' },
      })
      assert.deepEqual([moved.status, moved.headers.location], [301, 'https://app.example.com/a'])
    })
  })
}

type Request = typeof requestPlain | typeof requestTls
type RequestOptions = TlsOptions & { readonly servername?: string }

async function open(request: Request, options: RequestOptions): Promise<IncomingMessage> {
  const outgoing = (request as typeof requestTls)({ ...options, agent: false })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return response
}

async function get(request: Request, options: RequestOptions) {
  const response = await open(request, options)
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, headers: response.headers }
}

/** The first event of a live listing arrives while the stream stays open. */
async function requireEvents(request: Request, options: RequestOptions, token: string): Promise<void> {
  const response = await open(request, {
    ...options,
    path: '/api/organizations',
    headers: {
      ...(options.headers as object),
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
    },
  })
  assert.deepEqual(
    [response.statusCode, response.headers['content-type']?.split(';')[0]],
    [200, 'text/event-stream'],
  )
  const [first] = await once(response.setEncoding('utf8'), 'data')
  assert.match(first, /^(event|data|id|retry|:)/)
  response.destroy()
}
