import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as requestPlain } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestTls, type RequestOptions as TlsOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { credentials } from '@grpc/grpc-js'
import pg from 'pg'
import { openCommandClient } from '../../clients/typescript/src/commands.ts'
import { collectFindings } from '../../src/cli/doctor/run-doctor.ts'
import { valuesOf } from '../support/assertions.ts'
import { makeCertificate } from '../support/certificate.ts'
import { freePort } from '../support/child-host.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { checkHealth, hasPsql, hosts, startDeployedHosts } from '../support/deployed-hosts.ts'
import { fixture } from '../support/fixture.ts'
import { nginxProgram, startNginxOn } from '../support/nginx.ts'
import { until } from '../support/until.ts'

describe('The hosts as deployed by compose.yaml', {
  skip: hasPsql ? false : 'psql, which creates the roles, is not installed',
}, () => {
  const deployed = fixture(() => startDeployedHosts())
  const addressOf = (name: string) => `http://127.0.0.1:${deployed.ports[name]}`

  test('become healthy according to their health checks', async () => {
    for (const [name] of hosts) {
      await until(async () => {
        assert.ok(deployed.isRunning(name), deployed.output(name))
        return (await checkHealth(name, deployed.ports[name])) === 0
      }, name)
    }
    const { prepared } = deployed
    assert.match(prepared, /There is no administrator yet: npm run cli -- account create LOGIN/)
    assert.doesNotMatch(prepared, /demo@example\.com/)
  })

  test('have the database rights for the commands of operators in their containers', async () => {
    const { runIn } = deployed
    assert.match(
      await runIn('rest', ['account', 'list']),
      /^ann@example\.com +administrator +ann@example\.com$/m,
    )
    await runIn('rest', ['account', 'create', 'bob@example.com', '--link'])
    await runIn('rest', ['account', 'make-administrator', 'bob@example.com'])
    await runIn('rest', ['account', 'reset-password', 'bob@example.com', '--yes'], 'Correct-Horse-2\n')
    assert.match(
      await runIn('rest', ['account', 'reset-password', 'bob@example.com', '--link']),
      /#svl_\w+$/m,
    )
    await runIn('rest', ['account', 'deactivate', 'bob@example.com', '--yes'])
    assert.match(await runIn('rest', ['account', 'reactivate', 'bob@example.com']), /was reactivated/)
    await runIn('rest', ['account', 'deactivate', 'bob@example.com', '--yes'])
    assert.equal(await runIn('rest', ['client', 'list']), '')
    await assert.rejects(runIn('identity', ['account', 'remove-factors', 'ann@example.com', '--yes']), {
      message: /Second factor was not found/,
    })
    assert.match(await runIn('identity', ['keys', 'rotate']), /^signing: the next key is used from/m)
    assert.match(await runIn('identity', ['keys', 'revoke', '--yes']), /0 sessions have ended/)
  })

  test('are unhealthy if they do not respond, or respond with an error', async () => {
    assert.equal(await checkHealth('bank-1', await freePort()), 1)
    const unready = createServer((_request, response) => response.writeHead(503).end())
    await once(unready.listen(0, '127.0.0.1'), 'listening')
    assert.equal(await checkHealth('web', (unready.address() as AddressInfo).port), 1)
    unready.close()
  })

  async function rest(method: string, path: string, body?: unknown) {
    const response = await fetch(`${addressOf('rest')}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await deployed.tokenFor('svc.api')}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

  test('serve all writes and reads by REST, including a new password', async () => {
    const created = await rest('POST', '/api/organization', { name: 'Least authority' })
    assert.equal(created.status, 200, JSON.stringify(created.body))
    const { id } = created.body.organization
    assert.equal((await rest('PATCH', '/api/organization', { id, name: 'Renamed' })).status, 200)
    assert.equal((await rest('GET', '/api/organizations?search=renamed')).body.result.totalCount, 1)
    assert.equal((await rest('DELETE', '/api/organization', { ids: [id] })).status, 200)
    assert.equal((await rest('POST', '/api/organization/restore', { ids: [id] })).status, 200)
    const password = 'Long enough, 1 time'
    const person = await rest('POST', '/api/user', { name: 'Ada', login: 'ada@example.com', password })
    assert.equal(person.status, 200, JSON.stringify(person.body))
    const other = { id: person.body.user.id, name: 'Ada', login: 'ada@example.com', password: `${password}!` }
    const changed = await rest('PATCH', '/api/user', other)
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
  })

  test('serve commands that create, list and remove', async () => {
    const client = openCommandClient({
      target: `127.0.0.1:${deployed.ports.command}`,
      token: () => deployed.tokenFor('svc.grpc'),
    })
    const { organization } = await client.createOrganization({ name: 'By command' })
    const { result } = await client.listOrganizations({ pagination: { search: 'by command' } })
    assert.equal(result?.totalCount, 1)
    assert.equal((await client.removeOrganization({ ids: [organization?.id ?? ''] })).success, true)
    client.close()
  })

  test('include two instances of the bank with a common ledger', async () => {
    const answer = await fetch(`${addressOf('bank-1')}/clientes/1/transacoes`, {
      method: 'POST',
      body: JSON.stringify({ valor: 7, tipo: 'c', descricao: 'compose' }),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 200)
    const statement = await fetch(`${addressOf('bank-2')}/clientes/1/extrato`)
    assert.equal(((await statement.json()) as { saldo: { total: number } }).saldo.total, 7)
  })

  /** Returns the statements that are not rejected because of missing rights. */
  async function findAllowed(role: string, statements: readonly string[]): Promise<string[]> {
    const client = new pg.Client({ connectionString: deployed.urlFor(role) })
    await client.connect()
    const allowed: string[] = []
    for (const statement of statements) {
      await client.query('begin')
      const code = await client.query(statement).then(
        () => 'allowed',
        (error) => error.code,
      )
      await client.query('rollback')
      // 42501 is insufficient_privilege.
      if (code !== '42501') allowed.push(`${role}: ${statement}: ${code}`)
    }
    await client.end()
    return allowed
  }

  const neededByNoHost = [
    'create table mine ()',
    'create temporary table mine ()',
    'create schema mine',
    'create role mine',
    'alter table projects add column mine integer',
    'drop table projects',
    'truncate projects',
    'delete from projects',
    'delete from users',
    'insert into migrations (name, checksum) values (1, 1)',
    'delete from migrations',
    'update changes set at = now()',
    'update history set at = now()',
    'delete from history',
    'update history_begin set at = now()',
    'delete from bank.ledger',
    'update bank.ledger set amount = 1',
    'insert into bank.account (id, credit_limit) values (9, 9)',
    `select pg_read_file('/etc/passwd')`,
    `copy (select 1) to program 'true'`,
    'select rolpassword from pg_authid',
  ]
  const keysAndTokens = ['identity_keys', 'authorization_codes', 'refresh_tokens'].map(
    (table) => `select from ${table}`,
  )
  const bank = ['select from bank.account', `select bank.apply('{1}', '{1}', '{a}')`]

  test('have roles without the rights that they do not need', async () => {
    const tracker = [...neededByNoHost, ...keysAndTokens, ...bank, 'delete from signin_sessions']
    assert.deepEqual(await findAllowed('rest', tracker), [])
    assert.deepEqual(await findAllowed('commands', [...tracker, 'select secret from webhooks']), [])
    const identity = [
      'select from assignments',
      'insert into projects (id) values (null)',
      'select from history',
      `update users set password_hash = ''`,
      'update user_projects set active = true',
    ]
    assert.deepEqual(await findAllowed('identity', [...neededByNoHost, ...bank, ...identity]), [])
    const accounts = [
      'select from users',
      'select from changes',
      'select from signin_sessions',
      'select from lockouts',
      'select keep_history(0)',
    ]
    assert.deepEqual(await findAllowed('bank', [...neededByNoHost, ...keysAndTokens, ...accounts]), [])
  })

  test('have the rights for every table, each of which belongs to the role of migrations', async () => {
    const client = new pg.Client({ connectionString: deployed.urlFor('migrations') })
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname in ('public', 'bank')
         -- Partitions are reached through their table.
         and not (select relispartition from pg_class where oid = format('%I.%I', schemaname, tablename)::regclass)
         and not (tableowner = $1 and exists (
         select from unnest(array['rest', 'commands', 'identity', 'bank']) as host
         where has_table_privilege($2 || host, schemaname || '.' || tablename, 'select')))`,
      [`${deployed.rolePrefix}migrations`, deployed.rolePrefix],
    )
    await client.end()
    assert.deepEqual(valuesOf(rows, 'name'), [], 'Add new tables to src/cli/roles.ts.')
  })

  for (const { host, hidden } of [
    { host: 'rest', hidden: 'keys' },
    { host: 'commands', hidden: 'keys' },
    { host: 'identity', hidden: undefined },
  ])
    test(`pass the checks of doctor with the variables and the role of ${host}`, async () => {
      const found = await collectFindings(deployed.environment(host))
      const subjects = (severity: string) =>
        found
          .filter((finding) => finding.severity === severity)
          .map(({ subject, result }) => `${subject}: ${result}`)
      // Other tests kill programs, whose child processes are orphans for a moment.
      assert.deepEqual(
        subjects('error').filter((line) => !line.startsWith('processes')),
        [],
      )
      const rights = found.find(({ subject }) => subject === 'rights')?.result.replace(/^.*: /, '')
      assert.equal(rights, hidden)
      const ok = subjects('ok').join('\n')
      assert.match(ok, /^instances: 1 commands, 1 identity, 1 rest, with the same settings$/m)
      assert.match(ok, /^administrators: ann@example\.com$/m)
      assert.match(ok, /^connections: \d+ of \d+ are used; .* is hidden from a role/m)
      assert.match(subjects('warning').join('\n'), /^backup: none was recorded$/m)
    })

  testThroughNginx(() => deployed)
})

interface Upstreams {
  readonly ports: Readonly<Record<string, number>>
  tokenFor(scope: string): Promise<string>
}

/** Replaces the names of the containers in compose.yaml by addresses of this test. */
const adaptUpstreams = (text: string, ports: Upstreams['ports']) =>
  text
    .replace('web:5400', `127.0.0.1:${ports.web}`)
    .replace('rest:5100', `127.0.0.1:${ports.rest}`)
    .replace('identity:5200', `127.0.0.1:${ports.identity}`)
    .replace('commands:5300', `127.0.0.1:${ports.command}`)
    .replace('bank:9999', `127.0.0.1:${ports['bank-1']}`)

/** Tests nginx with the files of `deploy/nginx/` in front of running hosts. */
function testThroughNginx(upstreams: () => Upstreams): void {
  describe('Through nginx', {
    skip: nginxProgram === undefined && 'nginx is not installed: its configuration stays untested',
  }, () => {
    test('without TLS, every host responds on its port', async () => {
      const { ports, tokenFor } = upstreams()
      const proxyPorts = {
        web: await freePort(),
        rest: await freePort(),
        identity: await freePort(),
        command: await freePort(),
      }
      await using nginx = await startNginxOn('nginx/proxy.conf', (text) =>
        adaptUpstreams(text, ports)
          .replace('listen 5400', `listen 127.0.0.1:${proxyPorts.web}`)
          .replace('listen 5100', `listen 127.0.0.1:${proxyPorts.rest}`)
          .replace('listen 5200', `listen 127.0.0.1:${proxyPorts.identity}`)
          .replace('listen 5300', `listen 127.0.0.1:${proxyPorts.command}`),
      )
      nginx.checkConfiguration()
      const statusOf = async (port: number, path: string) =>
        (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).status
      for (const port of [proxyPorts.web, proxyPorts.rest, proxyPorts.identity]) {
        assert.equal(await statusOf(port, '/healthz'), 200)
        assert.equal(await statusOf(port, '/metrics'), 404)
      }
      await requireEvents(
        requestPlain,
        { host: '127.0.0.1', port: proxyPorts.rest },
        await tokenFor('svc.api'),
      )
      const calls = openCommandCalls(`127.0.0.1:${proxyPorts.command}`)
      const listed = await calls.call(
        'ListOrganizations',
        { pagination: {} },
        { token: await tokenFor('svc.grpc') },
      )
      calls.close()
      assert.equal(listed.code, 0, listed.details)
    })

    test('a response keeps its Date header', async (t) => {
      const date = new Date(0).toUTCString()
      const host = createServer((_request, response) => response.setHeader('date', date).end())
      host.listen(0, '127.0.0.1')
      await once(host, 'listening')
      t.after(() => host.close())
      const { port: rest } = host.address() as AddressInfo
      const [restPort, ...otherPorts] = [
        await freePort(),
        await freePort(),
        await freePort(),
        await freePort(),
      ]
      await using _nginx = await startNginxOn('nginx/proxy.conf', (text) =>
        adaptUpstreams(text, { ...upstreams().ports, rest })
          .replace('listen 5100', `listen 127.0.0.1:${restPort}`)
          .replace('listen 5400', `listen 127.0.0.1:${otherPorts[0]}`)
          .replace('listen 5200', `listen 127.0.0.1:${otherPorts[1]}`)
          .replace('listen 5300', `listen 127.0.0.1:${otherPorts[2]}`),
      )
      const { headers } = await get(requestPlain, {
        host: '127.0.0.1',
        port: restPort,
        path: '/api/workflows',
      })
      assert.equal(headers.date, date)
    })

    test('with TLS, pages, events, HTTP/2 and commands are served by host name', async (t) => {
      const { ports, tokenFor } = upstreams()
      const { folder, ca } = makeCertificate(
        t,
        ['app', 'api', 'id', 'commands', 'bank'].map((name) => `${name}.example.com`),
      )
      const [port, plainPort] = [await freePort(), await freePort()]
      await using nginx = await startNginxOn('nginx/proxy-tls.conf', (text) =>
        adaptUpstreams(text, ports)
          .replaceAll('listen 8443', `listen 127.0.0.1:${port}`)
          .replace('listen 8080', `listen 127.0.0.1:${plainPort}`)
          .replaceAll('/etc/nginx/tls', folder),
      )
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
      // UNAUTHENTICATED comes from the host, not from nginx.
      assert.equal((await calls.call('ListOrganizations', {})).code, 16)
      calls.close()

      await assert.rejects(
        get(requestTls, { ...at('unknown.example.com'), path: '/' }),
        /handshake|unrecognized/i,
      )
      const redirect = await get(requestPlain, {
        host: '127.0.0.1',
        port: plainPort,
        path: '/a',
        headers: { host: 'app.example.com' },
      })
      assert.deepEqual([redirect.status, redirect.headers.location], [301, 'https://app.example.com/a'])
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

/** Asserts that the first event of a live listing arrives while the stream stays open. */
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
