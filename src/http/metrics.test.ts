import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { it } from 'node:test'
import { createBudgets } from '../model/budget.ts'
import { measureHost } from './host-metrics.ts'
import { sampleHost } from './testing/sample-host.ts'

const otherSpellings = [
  '/METRICS',
  '/Metrics',
  '/metrics/',
  '/METRICS/',
  '/%6Detrics',
  '/metric%73',
  '/%4DETRICS/?x=1',
  '//metrics',
  '/metrics//',
  '/metrics%2F',
  '/metrics%20',
  '/metrics;x',
]

const budgets = createBudgets({ openStreams: { max: 3, per: 'process', of: 'streams' } })

it('metrics are off by default', async (t) => {
  const app = sampleHost(t)
  await measureHost(app, { budgets }, { metrics: false })
  equal((await app.inject({ url: '/metrics' })).statusCode, 404)
})

it('metrics have one path in one spelling', async (t) => {
  const app = sampleHost(t)
  await measureHost(app, { budgets }, { metrics: true })
  equal((await app.inject({ url: '/metrics' })).statusCode, 200)
  equal((await app.inject({ url: '/metrics?x=1' })).statusCode, 200)
  for (const url of otherSpellings) {
    const answer = await app.inject({ url })
    equal(answer.statusCode, 404, url)
    doesNotMatch(answer.body, /process_cpu/)
  }
})

it('metrics count by route pattern, method and status, never by path', async (t) => {
  const [app, other] = [sampleHost(t), sampleHost(t)]
  for (const each of [app, other]) await measureHost(each, { budgets }, { metrics: true })
  await app.inject({ url: '/echo?secret=1' })
  await app.inject({ url: '/secret/path' })
  const answer = await app.inject({ url: '/metrics' })
  match(answer.body, /http_request_duration_seconds_count\{method="GET",route="\/echo",status="200"\} 1/)
  match(answer.body, /http_request_duration_seconds_count\{method="GET",route="unmatched",status="404"\} 1/)
  match(answer.body, /process_cpu_seconds_total/)
  doesNotMatch(answer.body, /secret/)
  doesNotMatch((await other.inject({ url: '/metrics' })).body, /route="\/echo"/)
})

it('metrics show each budget with its limit, its use and its rejections', async (t) => {
  const app = sampleHost(t)
  await measureHost(app, { budgets }, { metrics: true })
  budgets.budget('openStreams').take(2)
  budgets.budget('openStreams').take(2)
  // Requested twice, because a second response must not add to the first.
  await app.inject({ url: '/metrics' })
  const { body } = await app.inject({ url: '/metrics' })
  const labels = 'budget="openStreams",per="process",of="streams"'
  for (const line of [
    `budget_limit{${labels}} 3`,
    `budget_used{${labels}} 2`,
    `budget_refusals_total{${labels}} 1`,
  ])
    ok(body.split('\n').includes(line), line)
})
