import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type Certificate, hasOpenssl, makeCertificate } from '../../test/support/certificate.ts'
import { startChild } from '../../test/support/child-host.ts'
import { until } from '../../test/support/until.ts'
import { readSettings } from '../config/settings.ts'
import { readStoreSettings } from '../config/store-settings.ts'
import { startEmbeddedStore } from './embedded/start-embedded-store.ts'

/** Other test processes use the same port, each on addresses of its own. */
const network = `127.${2 + (process.pid % 250)}.${(process.pid >> 8) % 256}`
const named = `${network}.1`
const unnamed = `${network}.2`

/** makeCertificate gives this name to every certificate. */
const certified = 'example.com'

describe('TLS to a PostgreSQL that requires it', {
  skip: process.platform !== 'linux' || !hasOpenssl ? 'needs Linux and openssl' : false,
}, () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tls-store-'))
  const cleanUp: (() => void)[] = []
  const disposal = { after: (run: () => void) => cleanUp.push(run) }
  let server: Certificate
  let other: Certificate
  let store: Awaited<ReturnType<typeof startEmbeddedStore>>

  before(async () => {
    server = makeCertificate(disposal, [named])
    other = makeCertificate(disposal, [named])
    store = await startEmbeddedStore({
      dataDirectory,
      settings: { fsync: 'off', listen_addresses: `${named},${unnamed}` },
    })
    const cluster = join(dataDirectory, 'postgres')
    const { uid, gid } = statSync(cluster)
    for (const file of ['certificate.pem', 'key.pem']) {
      const copy = join(cluster, file)
      cpSync(join(server.folder, file), copy)
      chmodSync(copy, 0o600)
      chownSync(copy, uid, gid)
    }
    appendFileSync(
      join(cluster, 'pg_hba.conf'),
      `hostssl all "${certified}" 127.0.0.0/8 cert\nhostssl all all 127.0.0.0/8 scram-sha-256\n`,
    )
    const direct = new pg.Client({ connectionString: store.url })
    await direct.connect()
    await direct.query(`create role "${certified}" login superuser`)
    const settings = {
      ssl_cert_file: 'certificate.pem',
      ssl_key_file: 'key.pem',
      ssl_ca_file: 'certificate.pem',
      ssl: 'on',
    }
    for (const [name, value] of Object.entries(settings))
      await direct.query(`alter system set ${name} = '${value}'`)
    await direct.query('select pg_reload_conf()')
    await direct.end()
    await until(async () => (await connect(urlOf(named, 'sslmode=require'))) === 'TLS', 'TLS')
  })
  after(async () => {
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
    for (const run of cleanUp) run()
  })

  const urlOf = (host: string, parameters: string, user = 'tracker') => {
    const [, password] = /:([^:@]+)@/.exec(store.url) ?? []
    const credentials = user === 'tracker' ? `tracker:${password}` : encodeURIComponent(user)
    return `postgresql://${credentials}@${host}:5432/tracker?${parameters}`
  }

  /** Returns whether TLS is used, or why there is no connection. */
  async function connect(url: string): Promise<string> {
    const { databaseUrl } = readSettings({ DATABASE_URL: url }, readStoreSettings)
    const client = new pg.Client({ connectionString: databaseUrl })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
      return rows[0].ssl ? 'TLS' : 'plain'
    } catch (error) {
      return (error as Error).message
    } finally {
      await client.end()
    }
  }
  const rootOf = ({ folder }: Certificate) => `sslrootcert=${join(folder, 'certificate.pem')}`

  test('each sslmode does what docs/deployment.md says', async () => {
    const right = rootOf(server)
    const wrong = rootOf(other)
    const tls = /^TLS$/
    const unknown = /self-signed certificate/
    const otherName = /does not match certificate/
    const plain = /no pg_hba.conf entry .* no encryption/
    const results = [
      { parameters: 'sslmode=disable', atName: plain, atOtherName: plain },
      { parameters: 'sslmode=prefer', atName: tls, atOtherName: tls },
      { parameters: 'sslmode=require', atName: tls, atOtherName: tls },
      { parameters: `sslmode=require&${right}`, atName: tls, atOtherName: tls },
      { parameters: `sslmode=require&${wrong}`, atName: unknown, atOtherName: unknown },
      { parameters: `sslmode=verify-ca&${right}`, atName: tls, atOtherName: tls },
      { parameters: `sslmode=verify-ca&${wrong}`, atName: unknown, atOtherName: unknown },
      { parameters: `sslmode=verify-full&${right}`, atName: tls, atOtherName: otherName },
      { parameters: `sslmode=verify-full&${wrong}`, atName: unknown, atOtherName: unknown },
      { parameters: 'sslmode=verify-full', atName: unknown, atOtherName: unknown },
    ]
    for (const { parameters, atName, atOtherName } of results) {
      assert.match(await connect(urlOf(named, parameters)), atName, parameters)
      assert.match(await connect(urlOf(unnamed, parameters)), atOtherName, parameters)
    }
  })

  test('a client certificate signs in without a password', async () => {
    const verified = `sslmode=verify-full&${rootOf(server)}`
    assert.match(await connect(urlOf(named, verified, certified)), /valid client certificate/)
    const keysOf = ({ folder }: Certificate) =>
      `sslcert=${join(folder, 'certificate.pem')}&sslkey=${join(folder, 'key.pem')}`
    assert.equal(await connect(urlOf(named, `${verified}&${keysOf(server)}`, certified)), 'TLS')
    assert.notEqual(await connect(urlOf(named, `${verified}&${keysOf(other)}`, certified)), 'TLS')
  })

  test('hosts start with TLS, and print no warning of the driver', async (t) => {
    const account = { SVC_DEMO_LOGIN: 'demo@example.com', SVC_DEMO_PASSWORD: 'Long enough, 1 time' }
    const host = await startChild({
      ...account,
      DATABASE_URL: urlOf(named, `sslmode=verify-full&${rootOf(server)}`),
      DATA_DIR: join(dataDirectory, 'host'),
    })
    t.after(() => host.end('SIGTERM'))
    assert.doesNotMatch(host.output(), /warning/i)
    const direct = new pg.Client({ connectionString: store.url })
    await direct.connect()
    const { rows } = await direct.query(
      `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'tracker %'`,
    )
    await direct.end()
    assert.deepEqual(rows, [{ ssl: true }])
  })
})
