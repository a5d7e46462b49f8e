import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../test/support/child-host.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { insertAccount } from '../../../test/support/insert-account.ts'
import { raw, sql } from '../../db/sql.ts'
import { createSecretBox } from '../../hosts/identity/keys/key-ring.ts'
import { gradeDisk } from './check-host.ts'
import { gradeReader } from './check-standbys.ts'
import { gradeClock, gradeStandby } from './check-store.ts'
import { examine } from './run-doctor.ts'

describe('the doctor', () => {
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
  // Tests that run at the same time kill programs on purpose, and their orphans exist for a short time.
  const wrongOf = async (changes: Record<string, string> = {}) =>
    (await examine({ ...environment, ...changes })).filter(
      ({ grade, subject }) => grade === 'wrong' && subject !== 'processes',
    )

  it('finds nothing wrong where nothing is', async () => {
    assert.deepEqual(await wrongOf(), [])
  })

  it('reports every variable that cannot be read, and stops there', async () => {
    const [found] = await wrongOf({ REST_PORT: 'x', LOG_LEVEL: 'loud' })
    assert.match(found?.found ?? '', /LOG_LEVEL must be .*REST_PORT must be/)
  })

  it('says that a store cannot be reached', async () => {
    const port = await freePort()
    const [found] = await wrongOf({ DATABASE_URL: `postgresql://nobody@127.0.0.1:${port}/none` })
    assert.match(`${found?.subject} ${found?.found}`, /^store cannot be reached: .*ECONNREFUSED/)
  })

  it('says of each standby to read from whether it is one, and how far behind', async () => {
    const port = await freePort()
    const findings = await examine({
      ...environment,
      DATABASE_READ_URL: `${fresh.url}, postgresql://nobody@127.0.0.1:${port}/none`,
    })
    const [primary, absent] = findings.filter(({ subject }) => subject === 'standby')
    assert.match(`${primary?.grade} ${primary?.found}`, /^look .* is a primary$/)
    assert.match(`${absent?.grade} ${absent?.found}`, /^wrong .* cannot be reached: .*ECONNREFUSED/)
    assert.equal(gradeReader('here', { isStandby: true, seconds: 0.2 }).grade, 'fine')
    assert.equal(gradeReader('here', { isStandby: true, seconds: 60 }).grade, 'look')
  })

  it('finds a newer schema, a store that takes no writes, and keys that do not open', async () => {
    const { database } = fresh
    await database.query(
      sql`insert into migrations (name, checksum, contracts) values ('9999-later.sql', '', true)`,
    )
    const seal = (id: string, secret: string) =>
      createSecretBox(secret, 'signing keys').seal(Buffer.from('key'), id)
    const keep = (id: string, secret: string) =>
      database.query(sql`insert into identity_keys (id, purpose, sealed, starts_at, ends_at)
        values (${id}, 'signing', ${seal(id, secret)}, now() - interval '1 day', now() + interval '1 day')`)
    await keep('right', 'a'.repeat(40))
    assert.deepEqual(
      (await wrongOf()).map(({ subject }) => subject),
      ['schema'],
    )
    await keep('other', 'b'.repeat(40))
    const [{ name } = { name: '' }] = await database.query<{ name: string }>(
      raw('select current_database() as name'),
    )
    await database.query(raw(`alter database ${name} set default_transaction_read_only = on`))
    const wrong = await wrongOf()
    await database.query(raw(`alter database ${name} reset default_transaction_read_only`))
    assert.deepEqual(
      wrong.map(({ subject }) => subject),
      ['writing', 'schema', 'keys'],
    )
    assert.match(wrong[2]?.found ?? '', /1 of 2 do not open/)
    await database.query(
      sql`with gone as (delete from identity_keys) delete from migrations where name like '9999%'`,
    )
  })

  it('says who is an administrator, and how there will be one where there is none', async () => {
    const { database } = fresh
    const found = async (changes = {}) => {
      const findings = await examine({ ...environment, ...changes })
      const finding = findings.find(({ subject }) => subject === 'administrators')
      return `${finding?.grade} ${finding?.found}`
    }
    assert.match(await found(), /^look there is none: the account that the store was seeded with is gone/)
    assert.match(await found({ SVC_ADMIN_LOGINS: 'ann@example.com' }), /^look there is none: no account has/)
    const { id } = await insertAccount(database, { login: 'Renamed@example.com' })
    await insertAccount(database, { login: 'ann@example.com' })
    await database.query(sql`insert into seeded_account (user_id) values (${id})`)
    assert.equal(await found(), 'fine Renamed@example.com')
    assert.equal(await found({ SVC_ADMIN_LOGINS: ' ANN@example.com' }), 'fine ann@example.com')
    await database.query(sql`insert into administrators (user_id, given_by) values (${id}, ${id})`)
    assert.equal(await found({ SVC_ADMIN_LOGINS: 'ann@example.com' }), 'fine ann@example.com and 1 more')
    assert.equal(
      await found({ SVC_ADMIN_LOGINS: 'ann@example.com', EXTENSIONS: 'off' }),
      'fine ann@example.com',
    )
  })

  it('says when every role may make large objects', async () => {
    const subjects = async () => (await examine(environment)).map(({ subject }) => subject)
    assert.ok(!(await subjects()).includes('large objects'))
    await fresh.database.query(raw('grant execute on function lo_create(oid) to public'))
    const after = await subjects()
    await fresh.database.query(raw('revoke execute on function lo_create(oid) from public'))
    assert.ok(after.includes('large objects'))
  })

  it('finds secrets that others may read', async () => {
    const file = join(folder, 'identity-secret')
    writeFileSync(file, 'secret')
    chmodSync(file, 0o644)
    assert.deepEqual(
      (await wrongOf()).map(({ advice }) => advice),
      [`chmod 600 ${file}`],
    )
    rmSync(file)
  })

  it('asks what listens on a port whether it is ready', async () => {
    let status = 503
    const server = createServer((_request, response) =>
      response.writeHead(status).end('Not ready: database.'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const findingOf = async () =>
      (await examine({ ...environment, REST_PORT: String(port) })).find(
        ({ subject }) => subject === `port ${port}`,
      )
    assert.match((await findingOf())?.found ?? '', /rest is not ready: Not ready: database\./)
    status = 200
    assert.equal((await findingOf())?.grade, 'fine')
    status = 404
    assert.equal((await findingOf())?.grade, 'look')
    server.close()
  })

  it('grades disk, clock and standbys by their numbers', () => {
    const gibibyte = 1024 ** 3
    assert.deepEqual(
      [0.5, 2, 9].map((free) => gradeDisk(free * gibibyte).grade),
      ['wrong', 'look', 'fine'],
    )
    assert.equal(gradeClock(10_000, 9990, 10_010).grade, 'fine')
    assert.equal(gradeClock(0, 20_000, 20_010).grade, 'wrong')
    assert.equal(gradeClock(90_000, 20_000, 20_010).grade, 'wrong')
    const standby = { name: 'second', state: 'streaming', bytes: 1000, seconds: 0.1 }
    assert.equal(gradeStandby(standby).grade, 'fine')
    assert.equal(gradeStandby({ ...standby, seconds: 60 }).grade, 'wrong')
    assert.equal(gradeStandby({ ...standby, state: 'catchup' }).grade, 'wrong')
  })
})
