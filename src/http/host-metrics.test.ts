import { deepEqual, doesNotMatch, match } from 'node:assert/strict'
import { it } from 'node:test'
import { freshDatabase } from '../../test/support/fresh-database.ts'
import { sql } from '../db/sql.ts'
import { openMetrics } from '../observability/metrics.ts'
import { countEvents } from '../observability/security-log.ts'
import { measureEvents, measureInstances, measureLag, measureStore } from './host-metrics.ts'

it('metrics show how long statements take, by kind', async (t) => {
  const { database, drop } = await freshDatabase()
  t.after(drop)
  const metrics = openMetrics()
  measureStore(metrics, database)
  await database.query(sql`select 1`)
  await database.query(sql`select missing`).catch(() => undefined)
  await database.transaction((transaction) => transaction.query(sql`select 1`))
  await database.listReads.query(sql`select 1`, 'ann')
  const text = (await metrics.prometheusPage()).text
  for (const [kind, count] of [
    ['read', 2],
    ['transaction', 1],
    ['list', 1],
  ])
    match(text, new RegExp(`store_statement_duration_seconds_count\\{kind="${kind}"\\} ${count}\\n`))
  doesNotMatch(text, /in transaction/)
})

it('metrics count security events by outcome', async () => {
  const logged: string[] = []
  const events = countEvents(({ event }) => logged.push(event))
  const metrics = openMetrics()
  measureEvents(metrics, events)
  for (const outcome of ['right', 'wrong', 'wrong']) events.log({ event: 'sign-in', outcome })
  const text = (await metrics.prometheusPage()).text
  match(text, /security_events_total\{event="sign-in",outcome="right"\} 1/)
  match(text, /security_events_total\{event="sign-in",outcome="wrong"\} 2/)
  deepEqual(logged, ['sign-in', 'sign-in', 'sign-in'])
})

it('each scrape reads the lag of the change log again', async () => {
  let seconds = 0
  const metrics = openMetrics()
  measureLag(metrics, { feeds: () => seconds })
  match((await metrics.prometheusPage()).text, /change_log_lag_seconds\{reader="feeds"\} 0/)
  seconds = 12
  match((await metrics.prometheusPage()).text, /change_log_lag_seconds\{reader="feeds"\} 12/)
})

it('the time of the newest backup has no value before the first backup', async () => {
  let backupAt: number | undefined
  const metrics = openMetrics()
  measureInstances(metrics, { disagreements: () => new Map([['Jwt__Issuer', 2]]), backupAt: () => backupAt })
  const text = (await metrics.prometheusPage()).text
  doesNotMatch(text, /^latest_backup_timestamp_seconds/m)
  match(text, /setting_disagreements\{setting="Jwt__Issuer"\} 2/)
  backupAt = 5000
  match((await metrics.prometheusPage()).text, /^latest_backup_timestamp_seconds 5$/m)
})

it('the series of an alert exist before their first event', async () => {
  const metrics = openMetrics()
  measureEvents(
    metrics,
    countEvents(() => undefined),
  )
  const count = metrics.counter('serverErrors')
  match((await metrics.prometheusPage()).text, /security_events_total\{event="sign-in",outcome="wrong"\} 0/)
  match((await metrics.prometheusPage()).text, /^http_server_errors_total 0$/m)
  count()
  match((await metrics.prometheusPage()).text, /^http_server_errors_total 1$/m)
})
