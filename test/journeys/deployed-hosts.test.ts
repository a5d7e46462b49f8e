import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openCommandClient } from '../../clients/typescript/src/commands.ts'
import { freePort } from '../support/child-host.ts'
import {
  checkHealth,
  type DeployedHosts,
  hosts,
  robot,
  startDeployedHosts,
} from '../support/deployed-hosts.ts'
import { until } from '../support/until.ts'
import { throughProxies } from './deployed-proxies.ts'

const hasPsql = (() => {
  try {
    execFileSync('psql', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe('the hosts, started with the commands and variables of compose.yaml under their roles,', {
  skip: hasPsql ? false : 'psql is not installed: it makes the roles',
}, () => {
  let deployed: DeployedHosts
  before(async () => {
    deployed = await startDeployedHosts()
  })
  after(() => deployed.stop())
  const addressOf = (name: string) => `http://127.0.0.1:${deployed.ports[name]}`

  test('all become healthy, as their health checks see it', async () => {
    for (const [name] of hosts) {
      await until(async () => {
        assert.ok(deployed.isRunning(name), deployed.output(name))
        return (await checkHealth(name, deployed.ports[name])) === 0
      }, name)
    }
    assert.match(deployed.prepared, /The first account is demo@example\.com, its password \S+/)
  })

  test('a health check fails where nothing answers, and where the answer is no', async () => {
    assert.equal(await checkHealth('bank-1', await freePort()), 1)
    assert.equal(await checkHealth('web', deployed.ports['bank-1']), 1)
  })

  async function tokenFor(scope: string): Promise<string> {
    const response = await fetch(`${addressOf('identity')}/connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`robot:${encodeURIComponent(robot.secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    })
    const { access_token: token } = (await response.json()) as { access_token?: string }
    return token ?? assert.fail(`no token: ${response.status}`)
  }

  async function rest(method: string, path: string, body?: unknown) {
    const response = await fetch(`${addressOf('rest')}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await tokenFor('svc.api')}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

  test('REST creates, reads, changes, removes and restores, and ends the sessions of a new password', async () => {
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

  test('commands create, list and remove', async () => {
    const client = openCommandClient({
      target: `127.0.0.1:${deployed.ports.command}`,
      token: () => tokenFor('svc.grpc'),
    })
    const { organization } = await client.createOrganization({ name: 'By command' })
    const { result } = await client.listOrganizations({ pagination: { search: 'by command' } })
    assert.equal(result?.totalCount, 1)
    assert.equal((await client.removeOrganization({ ids: [organization?.id ?? ''] })).success, true)
    client.close()
  })

  test('both instances of the bank keep one ledger', async () => {
    const answer = await fetch(`${addressOf('bank-1')}/clientes/1/transacoes`, {
      method: 'POST',
      body: JSON.stringify({ valor: 7, tipo: 'c', descricao: 'compose' }),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 200)
    const statement = await fetch(`${addressOf('bank-2')}/clientes/1/extrato`)
    assert.equal(((await statement.json()) as { saldo: { total: number } }).saldo.total, 7)
  })

  async function refusals(role: string, statements: readonly string[]): Promise<string[]> {
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

  const nobodysBusiness = [
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

  test('a role is rejected everything that its host need not do', async () => {
    const tracker = [...nobodysBusiness, ...keysAndTokens, ...bank, 'delete from signin_sessions']
    assert.deepEqual(await refusals('rest', tracker), [])
    assert.deepEqual(await refusals('commands', [...tracker, 'select secret from webhooks']), [])
    const identity = [
      ...['select from assignments', 'insert into projects (id) values (null)', 'select from history'],
      `update users set password_hash = ''`,
      'update user_projects set active = true',
    ]
    assert.deepEqual(await refusals('identity', [...nobodysBusiness, ...bank, ...identity]), [])
    const accounts = [
      'select from users',
      'select from changes',
      'select from signin_sessions',
      'select from lockouts',
      'select keep_history(0)',
    ]
    assert.deepEqual(await refusals('bank', [...nobodysBusiness, ...keysAndTokens, ...accounts]), [])
  })

  test('no table is missing: each belongs to the migrations and is used by some host', async () => {
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
    assert.deepEqual(
      rows.map(({ name }) => name),
      [],
      'src/cli/roles.ts says which host needs a new table',
    )
  })

  throughProxies(() => ({ ports: deployed.ports, tokenFor }))
})
