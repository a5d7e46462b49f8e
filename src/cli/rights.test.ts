import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import {
  type FreshDatabase,
  freshDatabase,
  isDistributed,
  openTestDatabase,
  withDatabase,
} from '../../test/support/fresh-database.ts'
import { purgeLockouts } from '../accounts/lockouts.ts'
import { readSettings } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { openInstances } from '../db/instances.ts'
import { migrate } from '../db/migrate.ts'
import { raw } from '../db/sql.ts'
import { readIdentitySettings } from '../hosts/identity/configuration.ts'
import { openKeys } from '../hosts/identity/keys/open-keys.ts'
import { purgeExpired } from '../hosts/identity/main.ts'
import { openClients } from '../hosts/identity/open-clients.ts'
import { maintenanceJobs } from './maintenance.ts'
import { rolePrefixOf } from './prepare-store.ts'
import { grantPrivileges, privilegesOfHosts, roleOf } from './roles.ts'

test('The roles of hosts are named like the role that prepares the database', () => {
  for (const [user, prefix] of [
    ['tracker_migrations', 'tracker_'],
    ['two%20towns_migrations', 'two towns_'],
    ['migrations', ''],
    ['postgres', 'tracker_'],
  ])
    for (const host of ['localhost', ''])
      assert.equal(rolePrefixOf(`postgresql://${user}:secret@${host}/tracker?host=/run`), prefix)
  // The name of the server is not mistaken for a user.
  for (const url of ['postgres://db-migrations/tracker', 'postgres://db-migrations:5432/tracker'])
    assert.equal(rolePrefixOf(url), 'tracker_')
})

describe('The role of a host', () => {
  let fresh: FreshDatabase
  // Roles belong to the server, which other tests may share.
  const prefix = `rights_${randomBytes(4).toString('hex')}_`
  const roles = Object.keys(privilegesOfHosts).map((host) => roleOf(prefix, host))
  before(async () => {
    fresh = await freshDatabase()
    for (const role of roles) await fresh.database.query(raw(`create role ${role}`))
    await grantPrivileges(fresh.url, prefix)
  })
  after(async () => {
    for (const role of roles)
      for (const verb of ['drop owned by', 'drop role']) await fresh.database.query(raw(`${verb} ${role}`))
    await fresh.drop()
  })

  /** Returns the error code of a statement under a role, or undefined. */
  async function failureOf(host: string, statement: string): Promise<string | undefined> {
    const client = new pg.Client({ connectionString: fresh.url })
    await client.connect()
    try {
      await client.query('begin')
      await client.query(`set local role ${roleOf(prefix, host)}`)
      await client.query(statement)
      return undefined
    } catch (error) {
      return (error as { code?: string }).code
    } finally {
      await client.end()
    }
  }
  const denied = '42501'

  for (const [host, table, writtenColumn, readOnlyColumns] of [
    ['commands', 'api_tokens', 'last_used_at', ['hash', 'user_id', 'scopes', 'expires_at', 'ended_at']],
    ['rest', 'api_tokens', 'ended_at', ['hash', 'user_id', 'scopes', 'expires_at']],
    ['rest', 'signin_sessions', 'ended_at', ['user_id', 'client_id']],
    ['rest', 'consents', 'withdrawn_at', ['user_id', 'client_id', 'granted_at']],
    ['identity', 'outside_identities', 'last_used_at', ['user_id', 'issuer', 'subject']],
    ['identity', 'account_links', 'ended_at', ['hash', 'user_id']],
    ['commands', 'account_links', 'ended_at', ['hash', 'user_id']],
  ] as const)
    test(`of ${host} may update ${writtenColumn} of ${table}, but not ${readOnlyColumns.join(', ')}`, async () => {
      assert.equal(await failureOf(host, `update ${table} set ${writtenColumn} = now()`), undefined)
      assert.equal(await failureOf(host, `select 1 from ${table} for update`), undefined)
      for (const column of readOnlyColumns)
        assert.equal(await failureOf(host, `update ${table} set ${column} = ${column}`), denied, column)
    })

  function openUnderRole(host: string): Database {
    const options = `options=${encodeURIComponent(`-c role=${roleOf(prefix, host)}`)}`
    return openTestDatabase(`${fresh.url}${fresh.url.includes('?') ? '&' : '?'}${options}`)
  }

  for (const host of ['rest', 'commands'] as const)
    test(`of ${host} suffices for each maintenance job`, async (t) => {
      const database = openUnderRole(host)
      t.after(() => database.close())
      for (const [job, run] of Object.entries(
        maintenanceJobs(database, { removedDays: 30, historyDays: 30 }),
      ))
        await assert.doesNotReject(run(), job)
      const log = { info: () => undefined, warn: () => undefined }
      const instances = openInstances({ database, host, settings: {}, log })
      await assert.doesNotReject(instances.refresh(), 'instances')
    })

  test('of identity suffices for the jobs of this host', async (t) => {
    const database = openUnderRole('identity')
    t.after(() => database.close())
    const settings = readSettings({ Jwt__SigningKey: 'a'.repeat(40) }, readIdentitySettings)
    const { refreshKeys } = await openKeys(database, settings, Date.now)
    const log = { info: () => undefined, warn: () => undefined }
    const { refreshClients, knownClients } = await openClients(database, settings, Date.now, log)
    const instances = openInstances({
      database,
      host: 'identity',
      settings: settings.shared,
      log,
      clients: knownClients,
    })
    const jobs = {
      keys: refreshKeys,
      clients: refreshClients,
      start: instances.refresh,
      running: instances.refresh,
      sweep: () => purgeExpired(database, Date.now(), 15),
      lockouts: () => purgeLockouts(database),
    }
    for (const [job, run] of Object.entries(jobs)) await assert.doesNotReject(run(), job)
  })

  test('may write the tables of a sharded store if the host writes rows', async (t) => {
    const { database, url } = fresh
    if (!isDistributed) t.after(() => database.query(raw('drop table row_places')))
    await database.query(raw('create table if not exists row_places (table_name text, id uuid)'))
    await grantPrivileges(url, prefix)
    const insert = `insert into row_places (table_name, id) values ('users', gen_random_uuid())`
    for (const host of ['rest', 'commands', 'identity'])
      assert.equal(await failureOf(host, insert), undefined, host)
    assert.equal(await failureOf('bank', insert), denied)
  })

  test('may not create tables, even if the database has allowed it to every role', async () => {
    await fresh.database.query(raw('grant create on schema public to public'))
    await grantPrivileges(fresh.url, prefix)
    for (const host of Object.keys(privilegesOfHosts))
      assert.equal(await failureOf(host, 'create table own_table ()'), denied, host)
  })

  test('must have no other privileges: each of these is reported with its remedy', async (t) => {
    const { database, url } = fresh
    const [rest, commands, bank] = ['rest', 'commands', 'bank'].map((host) => roleOf(prefix, host))
    t.after(() => database.query(raw(`revoke pg_write_all_data from ${rest}`)))
    t.after(() => database.query(raw(`alter role ${commands} nocreatedb`)))
    await database.query(raw(`grant pg_write_all_data to ${rest}`))
    await database.query(raw(`alter role ${commands} createdb`))
    t.after(() => database.query(raw('drop table own_table')))
    await database.query(raw('create table own_table ()'))
    await database.query(raw(`alter table own_table owner to ${bank}`))
    await assert.rejects(grantPrivileges(url, prefix), {
      message: [
        `The role ${rest} may do more than a host needs: revoke pg_write_all_data from ${rest}`,
        `The role ${commands} may do more than a host needs: alter role ${commands} nosuperuser nocreaterole nocreatedb noreplication nobypassrls`,
        `The role ${bank} may do more than a host needs: reassign owned by ${bank} to current_user`,
      ].join('\n'),
    })
  })

  test('may not create large objects', async () => {
    for (const host of Object.keys(privilegesOfHosts))
      for (const call of [
        'lo_create(0)',
        'lo_creat(-1)',
        "lo_from_bytea(0, 'x')",
        "lo_import('/etc/hostname')",
      ])
        assert.equal(await failureOf(host, `select ${call}`), denied, `${host}: ${call}`)
  })
})

test('A role that owns only its database can migrate it', async (t) => {
  const { database, url, drop } = await freshDatabase()
  t.after(drop)
  const suffix = randomBytes(4).toString('hex')
  const role = `migrations_${suffix}`
  const name = `owned_${suffix}`
  await database.query(raw(`create role ${role}`))
  await database.query(raw(`create database ${name} owner ${role}`))
  try {
    const options = `options=${encodeURIComponent(`-c role=${role}`)}`
    const ownedUrl = withDatabase(url, name)
    await migrate(`${ownedUrl}${ownedUrl.includes('?') ? '&' : '?'}${options}`)
  } finally {
    await database.query(raw(`drop database ${name} with (force)`))
    await database.query(raw(`drop role ${role}`))
  }
})
