import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type FreshDatabase, freshDatabase, openTestDatabase } from '../../test/support/fresh-database.ts'
import { findDisagreements, type Instances, openInstances, type RunningInstance } from './instances.ts'
import { raw, sql } from './sql.ts'

describe('running instances', () => {
  let fresh: FreshDatabase
  let clock: number
  let lines: { readonly level: string; readonly message: string; readonly details: object }[]
  before(async () => {
    fresh = await freshDatabase()
  })
  after(() => fresh.drop())
  beforeEach(async () => {
    clock = Date.now()
    lines = []
    await fresh.database.transaction((transaction) => transaction.query(raw('delete from instances')))
  })

  const open = (settings: object, secretSettings = {}, database = fresh.database): Instances =>
    openInstances({
      database,
      host: 'rest',
      settings: { ...settings },
      secretSettings,
      log: {
        info: (details, message) => lines.push({ level: 'info', message, details }),
        warn: (details, message) => lines.push({ level: 'warn', message, details }),
      },
      now: () => clock,
    })
  /** Opens an instance and records it once, without the regular refresh. */
  const recordOnce = async (settings: object, secretSettings = {}) => {
    const instances = open(settings, secretSettings)
    await instances.refresh()
    return instances
  }
  const settingsIn = (details: object) => (details as { settings: string[] }).settings

  it('log at their start which settings of other instances differ', async () => {
    const first = await recordOnce({ Jwt__Issuer: 'https://a.example', HOURS_STEP: 1, EXTENSIONS: true })
    assert.equal(lines.length, 0)
    const second = await recordOnce({ Jwt__Issuer: 'https://b.example', HOURS_STEP: 1, Jwt__Audience: 'svc' })
    assert.deepEqual([...second.disagreements()], [['Jwt__Issuer', 1]])
    assert.equal(lines.length, 1)
    assert.equal(lines[0]?.message, 'Running instances have other settings than this one.')
    assert.deepEqual(settingsIn(lines[0]?.details ?? {}), ['Jwt__Issuer'])
    assert.match(JSON.stringify(lines[0]?.details), new RegExp(`rest on .* \\(process ${process.pid}\\)`))
    await first.refresh()
    await first.refresh()
    assert.equal(lines.length, 2, 'the other one logs it once, too')
  })

  it('agree again a minute after an instance with other settings was last seen', async () => {
    const first = await recordOnce({ EXTENSIONS: true })
    const second = await recordOnce({ EXTENSIONS: false })
    const third = await recordOnce({ EXTENSIONS: false })
    await first.refresh()
    assert.deepEqual([...first.disagreements()], [['EXTENSIONS', 2]])
    await second.leave()
    await first.refresh()
    assert.deepEqual([...first.disagreements()], [['EXTENSIONS', 1]])
    clock += 61_000
    await first.refresh()
    assert.deepEqual([...first.disagreements()], [])
    assert.equal(lines.at(-1)?.message, 'All running instances have the same settings again.')
    await third.refresh()
    assert.deepEqual(
      [...third.disagreements()],
      [['EXTENSIONS', 1]],
      'an instance that was only slow still sees the others',
    )
  })

  it('start even while the store takes no writes', async (t) => {
    const readOnly = openTestDatabase(
      `${fresh.url}${fresh.url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only%3Don`,
    )
    t.after(() => readOnly.close())
    const instances = open({}, {}, readOnly)
    await instances.join()
    assert.equal(lines[0]?.message, 'The running instances could not be recorded.')
    await instances.leave()
  })

  it('store hashes instead of values', async () => {
    const secret = 'a secret of more than 32 characters'
    await recordOnce(
      { Jwt__Issuer: 'https://a.example' },
      { Identity__ServiceClients: [{ id: 'robot', secret }] },
    )
    const rotated = await recordOnce(
      {},
      { Identity__ServiceClients: [{ id: 'robot', secret: `${secret}!` }] },
    )
    assert.deepEqual([...rotated.disagreements()], [['Identity__ServiceClients', 1]])
    const rows = await fresh.database.query<{ settings: Record<string, string> }>(
      sql`select settings from instances`,
    )
    for (const hash of rows.flatMap(({ settings }) => Object.values(settings)))
      assert.match(hash, /^[\da-f]{16}$/)
  })

  it('know the time of the newest backup', async () => {
    const instances = await recordOnce({})
    assert.equal(instances.backupAt(), undefined)
    await fresh.database.transaction((transaction) =>
      transaction.query(sql`insert into latest_backup (made_at) values ('2026-11-21T03:00:00Z')`),
    )
    await instances.refresh()
    assert.equal(instances.backupAt(), Date.parse('2026-11-21T03:00:00Z'))
  })

  it('are grouped by their values, as the doctor command prints them', () => {
    const instance = (process: number, settings: RunningInstance['settings']): RunningInstance => ({
      host: 'rest',
      machine: 'here',
      process,
      settings,
      clients: [],
    })
    const found = findDisagreements([
      instance(1, { EXTENSIONS: 'a', HOURS_STEP: 'x' }),
      instance(2, { EXTENSIONS: 'b' }),
      instance(3, { EXTENSIONS: 'a', HOURS_STEP: 'x' }),
    ])
    const processes = [...found].map(([name, groups]) => [
      name,
      groups.map((group) => group.map((member) => member.process)),
    ])
    assert.deepEqual(processes, [['EXTENSIONS', [[1, 3], [2]]]])
  })
})
