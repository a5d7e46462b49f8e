import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { hasOpenssl, makeCertificate } from '../../../test/support/certificate.ts'
import { freePort } from '../../../test/support/child-host.ts'
import { type FreshDatabase, freshDatabase, withDatabase } from '../../../test/support/fresh-database.ts'
import { insertAccount } from '../../../test/support/insert-account.ts'
import { startReplicatedStore } from '../../../test/support/standby.ts'
import { until } from '../../../test/support/until.ts'
import { raw, sql } from '../../db/sql.ts'
import { createKeyBox } from '../../hosts/identity/keys/secret-box.ts'
import { assessCertificate, assessDisk } from './check-machine.ts'
import { assessClock, assessConnections, assessReadStandby, assessReplica } from './check-server.ts'
import { assessBackup } from './check-store-state.ts'
import { checkStore, collectFindings } from './run-doctor.ts'

describe('The doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
  let fresh: FreshDatabase
  let environment: Record<string, string>
  before(async () => {
    fresh = await freshDatabase()
    environment = { DATABASE_URL: fresh.url, DATA_DIR: folder, Jwt__SigningKey: 'a'.repeat(40) }
    for (const name of ['WEB', 'REST', 'IDENTITY', 'COMMAND', 'COMMAND_DIAGNOSTICS', 'BANK'])
      environment[`${name}_PORT`] = String(await freePort())
  })
  after(async () => {
    await fresh.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  /** Ignores processes, because other tests that run at the same time leave orphans for a short time. */
  const errorsOf = async (changes: Record<string, string> = {}) =>
    (await collectFindings({ ...environment, ...changes })).filter(
      ({ severity, subject }) => severity === 'error' && subject !== 'processes',
    )

  it('finds no error in an intact installation', async () => {
    assert.deepEqual(await errorsOf(), [])
  })

  it('reports every invalid variable, and then stops', async () => {
    const [found] = await errorsOf({ REST_PORT: 'x', LOG_LEVEL: 'loud' })
    assert.match(found?.result ?? '', /LOG_LEVEL must be .*REST_PORT must be/)
  })

  it('reports a store that cannot be reached', async () => {
    const port = await freePort()
    const [found] = await errorsOf({ DATABASE_URL: `postgresql://nobody@127.0.0.1:${port}/none` })
    assert.match(`${found?.subject} ${found?.result}`, /^store cannot be reached: .*ECONNREFUSED/)
  })

  it('reports addresses of DATABASE_READ_URL that are unreachable, a primary, or a standby that is far behind', async () => {
    const port = await freePort()
    const findings = await collectFindings({
      ...environment,
      DATABASE_READ_URL: `${fresh.url}, postgresql://nobody@127.0.0.1:${port}/none`,
    })
    const [primary, absent] = findings.filter(({ subject }) => subject === 'standby')
    assert.match(`${primary?.severity} ${primary?.result}`, /^warning .* is a primary$/)
    assert.match(`${absent?.severity} ${absent?.result}`, /^error .* cannot be reached: .*ECONNREFUSED/)
    assert.equal(assessReadStandby('here', { isStandby: true, lagSeconds: 0.2 }).severity, 'ok')
    for (const lagSeconds of [60, null])
      assert.equal(assessReadStandby('here', { isStandby: true, lagSeconds }).severity, 'warning')
  })

  it('reports the lag of a standby that receives no more changes', async () => {
    const store = await startReplicatedStore()
    try {
      const settings = { ...environment, DATABASE_URL: store.primaryUrl, DATABASE_READ_URL: store.standbyUrl }
      const findStandby = async () => {
        const findings = await collectFindings(settings)
        return findings.find(({ subject }) => subject === 'standby')?.result ?? ''
      }
      await store.primary.query('create table replayed ()')
      await until(async () => / 0\.0 s behind$/.test(await findStandby()), 'the standby to be current')
      const receiver = (await store.atStandby('select pid from pg_stat_wal_receiver')) as { pid: number }
      process.kill(receiver.pid, 'SIGSTOP')
      try {
        await store.primary.query('create table missed ()')
        await sleep(200)
        assert.match(await findStandby(), / (?!0\.0)\d+\.\d s behind$/)
      } finally {
        process.kill(receiver.pid, 'SIGCONT')
      }
    } finally {
      await store.stop()
    }
  })

  it('finds a newer schema, a read-only store, and keys that cannot be decrypted', async () => {
    const { database } = fresh
    await database.query(
      sql`insert into migrations (name, checksum, contracts) values ('9999-later.sql', '', true)`,
    )
    const seal = (id: string, secret: string) => createKeyBox(secret, 'signing').seal(Buffer.from('key'), id)
    const insertKey = (id: string, secret: string) =>
      database.query(sql`insert into identity_keys (id, purpose, sealed, starts_at, ends_at)
        values (${id}, 'signing', ${seal(id, secret)}, now() - interval '1 day', now() + interval '1 day')`)
    await insertKey('right', 'a'.repeat(40))
    const rotating = {
      Jwt__SigningKey: 'c'.repeat(40),
      Identity__PreviousKeyEncryptionSecret: 'a'.repeat(40),
    }
    const keys = (await collectFindings({ ...environment, ...rotating })).find(
      ({ subject }) => subject === 'keys',
    )
    assert.deepEqual([keys?.severity, keys?.advice], ['warning', 'npm run cli -- secret rotate'])
    assert.deepEqual(
      (await errorsOf()).map(({ subject }) => subject),
      ['schema'],
    )
    await insertKey('other', 'b'.repeat(40))
    const [{ name } = { name: '' }] = await database.query<{ name: string }>(
      raw('select current_database() as name'),
    )
    await database.query(raw(`alter database ${name} set default_transaction_read_only = on`))
    const errors = await errorsOf()
    await database.query(raw(`alter database ${name} reset default_transaction_read_only`))
    assert.deepEqual(
      errors.map(({ subject }) => subject),
      ['writing', 'schema', 'keys'],
    )
    assert.match(errors[2]?.result ?? '', /1 of 2 cannot be decrypted/)
    await database.query(
      sql`with deleted as (delete from identity_keys) delete from migrations where name like '9999%'`,
    )
  })

  it('reports the administrators', async () => {
    const { database } = fresh
    const found = async (changes = {}) => {
      const findings = await collectFindings({ ...environment, ...changes })
      const finding = findings.find(({ subject }) => subject === 'administrators')
      return `${finding?.severity} ${finding?.result}`
    }
    assert.equal(await found(), 'warning there is none: no account has the role')
    assert.match(
      await found({ SVC_ADMIN_LOGINS: 'ann@example.com' }),
      /^warning there is none: no account has/,
    )
    const { id } = await insertAccount(database, { login: 'Renamed@example.com' })
    await insertAccount(database, { login: 'ann@example.com' })
    await database.query(sql`insert into seeded_account (user_id) values (${id})`)
    assert.equal(await found(), 'ok Renamed@example.com')
    assert.equal(await found({ SVC_ADMIN_LOGINS: ' ANN@example.com' }), 'ok ann@example.com')
    await database.query(sql`insert into administrators (user_id, given_by) values (${id}, ${id})`)
    assert.equal(await found({ SVC_ADMIN_LOGINS: 'ann@example.com' }), 'ok ann@example.com and 1 more')
    assert.equal(
      await found({ SVC_ADMIN_LOGINS: 'ann@example.com', EXTENSIONS: 'off' }),
      'ok ann@example.com',
    )
  })

  it('reports checks that the privileges of its role do not allow', async () => {
    const role = `doctor_${process.pid}`
    const { database, url } = fresh
    await database.query(raw(`create role ${role}`))
    const options = `options=${encodeURIComponent(`-c role=${role}`)}`
    const found = async () => {
      const findings = await collectFindings({
        ...environment,
        DATABASE_URL: `${url}${url.includes('?') ? '&' : '?'}${options}`,
      })
      return new Map(findings.map((finding) => [finding.subject, finding]))
    }
    const limited = await found()
    assert.equal(limited.get('activity')?.severity, 'warning')
    assert.match(limited.get('activity')?.result ?? '', /hidden from the role doctor_/)
    assert.deepEqual(
      ['transactions', 'replication', 'keys'].filter((subject) => limited.has(subject)),
      [],
    )
    assert.match(limited.get('connections')?.result ?? '', /^\d+ of \d+ are used; .* is hidden from a role/)
    assert.match(
      limited.get('schema')?.result ?? '',
      /^the role doctor_\d+ may not read the table migrations$/,
    )
    assert.match(limited.get('schema')?.advice ?? '', /prepare` with the DATABASE_URL of the role that owns/)
    assert.match(
      `${limited.get('rights')?.severity} ${limited.get('rights')?.result}`,
      /^warning the role .* may not read: .*instances, .*keys, administrators$/,
    )
    await database.query(raw(`grant pg_read_all_stats to ${role}`))
    const allowed = await found()
    await database.query(raw(`drop role ${role}`))
    assert.ok(!allowed.has('activity'))
    assert.match(
      allowed.get('connections')?.result ?? '',
      /^\d+ of \d+ are used; 0 processes of hosts may open 0$/,
    )
    assert.equal(allowed.get('transactions')?.severity, 'ok')
  })

  it('causes no error in the log of PostgreSQL if its role may not read a table', async (t) => {
    const role = `silent_${process.pid}`
    await fresh.database.query(raw(`create role ${role}`))
    const rejected: string[] = []
    const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
    t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
      const result = query.apply(this, args)
      if (result instanceof Promise) result.catch((error: Error) => rejected.push(error.message))
      return result
    })
    for (const [url, grant] of [
      [fresh.url, `grant select on migrations to ${role}`],
      // This database has none of the tables.
      [withDatabase(fresh.url, 'template1'), 'select 1'],
    ] as const) {
      const options = `options=${encodeURIComponent(`-c role=${role}`)}`
      await checkStore(`${url}${url.includes('?') ? '&' : '?'}${options}`, environment)
      await fresh.database.query(raw(grant))
      await checkStore(`${url}${url.includes('?') ? '&' : '?'}${options}`, environment)
    }
    await fresh.database.query(raw(`drop owned by ${role}`))
    await fresh.database.query(raw(`drop role ${role}`))
    assert.deepEqual(rejected, [])
  })

  it('reports which role has to apply pending migrations', async () => {
    const role = `pending_${process.pid}`
    const { database, url } = fresh
    await database.query(raw(`create role ${role}`))
    await database.query(raw(`grant select on migrations to ${role}`))
    const [last] = await database.query<{ name: string; checksum: string }>(
      raw('delete from migrations where name = (select max(name) from migrations) returning name, checksum'),
    )
    const adviceAs = async (options: string) => {
      const DATABASE_URL = `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(options)}`
      const findings = await collectFindings({ ...environment, DATABASE_URL })
      const found = findings.find(({ subject }) => subject === 'schema')
      assert.match(found?.result ?? '', /^pending migrations: 1, the first is /)
      return found?.advice ?? ''
    }
    assert.match(
      await adviceAs(`-c role=${role}`),
      /prepare` with the DATABASE_URL of the role that owns the schema; the role pending_\d+ may not migrate\.$/,
    )
    assert.match(await adviceAs('-c application_name=x'), /or the next start, applies them/)
    await database.query(
      sql`insert into migrations (name, checksum) values (${last?.name ?? ''}, ${last?.checksum ?? ''})`,
    )
    await database.query(raw(`drop owned by ${role}`))
    await database.query(raw(`drop role ${role}`))
  })

  it('does not check keys whose secret only the identity hosts have', async () => {
    const { database } = fresh
    const sealed = createKeyBox('a'.repeat(40), 'protection').seal(Buffer.from('key'), 'shared')
    await database.query(sql`insert into identity_keys (id, purpose, sealed, starts_at, ends_at)
      values ('shared', 'protection', ${sealed}, now() - interval '1 day', now() + interval '1 day')`)
    const { Jwt__SigningKey, ...withoutSecret } = environment
    const keysOf = async (secretFile?: string) => {
      if (secretFile !== undefined)
        writeFileSync(join(folder, 'identity-secret'), secretFile, { mode: 0o600 })
      const found = (await collectFindings(withoutSecret)).find(({ subject }) => subject === 'keys')
      return `${found?.severity} ${found?.result}`
    }
    const results = [
      await keysOf(),
      await keysOf('of an earlier installation'),
      await keysOf(Jwt__SigningKey),
    ]
    rmSync(join(folder, 'identity-secret'))
    await database.query(raw('delete from identity_keys'))
    const [withoutFile, withWrongSecret, withRightSecret] = results
    assert.match(
      withoutFile ?? '',
      /^ok not checked: Identity__KeyEncryptionSecret is set for the identity hosts, but not here/,
    )
    assert.equal(withWrongSecret, withoutFile)
    assert.equal(withRightSecret, 'warning the secret is a file of this machine')
  })

  it('mentions that the web host needs no store if there is none', async () => {
    const { DATABASE_URL, ...withoutStore } = environment
    const found = (await collectFindings(withoutStore)).find(({ subject }) => subject === 'store')
    assert.match(found?.result ?? '', /^there is no store in/)
    assert.match(found?.advice ?? '', /The web host needs no store\.$/)
  })

  it('runs all other checks if the statement of one check fails', async () => {
    await fresh.database.query(raw('alter table instances rename column host to was'))
    const findings = await collectFindings(environment)
    await fresh.database.query(raw('alter table instances rename column was to host'))
    const subjects = findings.map(({ subject }) => subject)
    assert.match(
      findings.find(({ subject }) => subject === 'instances')?.result ?? '',
      /column "host" does not/,
    )
    assert.ok(subjects.includes('keys') && subjects.includes('administrators'))
  })

  it('warns if every role may create large objects', async () => {
    const [{ name } = { name: '' }] = await fresh.database.query<{ name: string }>(
      raw('select current_database() as name'),
    )
    const found = async () =>
      (await collectFindings(environment)).find(({ subject }) => subject === 'large objects')
    assert.equal(await found(), undefined)
    await fresh.database.query(raw('grant execute on function lo_create(oid) to public'))
    const after = await found()
    await fresh.database.query(raw('revoke execute on function lo_create(oid) from public'))
    assert.match(after?.result ?? '', new RegExp(`in the database ${name}, `))
    assert.match(after?.advice ?? '', new RegExp(`TRACKER_DATABASE=${name}: `))
  })

  it('finds secrets that other users may read', async () => {
    const file = join(folder, 'identity-secret')
    writeFileSync(file, 'secret')
    chmodSync(file, 0o644)
    assert.deepEqual(
      (await errorsOf()).map(({ advice }) => advice),
      [`chmod 600 ${file}`],
    )
    rmSync(file)
  })

  it('requests the readiness of the program that listens on a port', async () => {
    let status = 503
    const server = createServer((_request, response) =>
      response.writeHead(status).end('Not ready: database.'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const findingOf = async () =>
      (await collectFindings({ ...environment, REST_PORT: String(port) })).find(
        ({ subject }) => subject === `port ${port}`,
      )
    assert.match((await findingOf())?.result ?? '', /rest is not ready: Not ready: database\./)
    status = 200
    assert.equal((await findingOf())?.severity, 'ok')
    status = 404
    assert.equal((await findingOf())?.severity, 'warning')
    server.close()
  })

  it('finds keys that no identity host has renewed', async () => {
    const { database } = fresh
    const sealed = createKeyBox('a'.repeat(40), 'protection').seal(Buffer.from('key'), 'old')
    await database.query(sql`insert into identity_keys (id, purpose, sealed, starts_at, ends_at)
      values ('old', 'protection', ${sealed}, now() - interval '90 days', now() + interval '13 hours')`)
    assert.deepEqual(await errorsOf(), [])
    await database.query(sql`update identity_keys set ends_at = now() + interval '11 hours'`)
    const [found] = await errorsOf()
    assert.match(
      `${found?.subject} ${found?.result}`,
      /^keys the newest protection key has expired or expires/,
    )
    await database.query(raw('delete from identity_keys'))
  })

  it('checks the certificates of every address that hosts and browsers call', {
    skip: hasOpenssl ? false : 'openssl is not installed',
  }, async (t) => {
    const { ca, key } = makeCertificate(t, ['localhost'])
    const server = createTlsServer({ cert: ca, key }, (_request, response) => response.writeHead(404).end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close())
    const address = `localhost:${(server.address() as AddressInfo).port}`
    const [found] = (await errorsOf({ Cors__AllowedOrigins__0: `https://${address}` })).filter(
      ({ subject }) => subject === 'certificate',
    )
    assert.match(found?.result ?? '', new RegExp(`${address} is not trusted on this machine: .*SELF_SIGNED`))
    assert.match(found?.advice ?? '', /NODE_EXTRA_CA_CERTS/)
  })

  it('assesses backups and certificates by their age', () => {
    assert.deepEqual(
      [assessBackup(undefined, false), assessBackup(undefined, true)].map(({ severity }) => severity),
      ['warning', 'ok'],
    )
    assert.deepEqual(
      [47, 49, 169].map((hours) => assessBackup(hours, true).severity),
      ['ok', 'warning', 'error'],
    )
    assert.deepEqual(
      [22, 20, 6, -1].map((days) => assessCertificate('id.example.com', days, undefined).severity),
      ['ok', 'warning', 'error', 'error'],
    )
    assert.equal(
      assessCertificate('id.example.com', -1, 'CERT_HAS_EXPIRED').result,
      'that of id.example.com has expired',
    )
  })

  it('assesses disk, clock, connections and standbys by their numbers', () => {
    const gibibyte = 1024 ** 3
    assert.deepEqual(
      [0.5, 2, 9].map((free) => assessDisk(free * gibibyte).severity),
      ['error', 'warning', 'ok'],
    )
    assert.equal(assessClock(10_000, 9990, 10_010).severity, 'ok')
    assert.equal(assessClock(0, 20_000, 20_010).severity, 'error')
    assert.equal(assessClock(90_000, 20_000, 20_010).severity, 'error')
    const connections = { used: 20, others: 2, processes: 3, mayOpen: 75, max: 97, areSessionsVisible: true }
    assert.deepEqual(assessConnections(connections), {
      subject: 'connections',
      result: '20 of 97 are used; 3 processes of hosts may open 75',
      severity: 'ok',
    })
    for (const tight of [{ mayOpen: 96 }, { used: 90 }])
      assert.equal(assessConnections({ ...connections, ...tight }).severity, 'warning')
    const standby = { name: 'second', state: 'streaming', bytes: 1000, seconds: 0.1 }
    assert.equal(assessReplica(standby).severity, 'ok')
    assert.equal(assessReplica({ ...standby, seconds: 60 }).severity, 'error')
    assert.equal(assessReplica({ ...standby, state: 'catchup' }).severity, 'error')
  })
})
