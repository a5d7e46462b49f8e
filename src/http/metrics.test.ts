import { doesNotMatch, equal, match } from 'node:assert/strict'
import { it } from 'node:test'
import { addMetrics } from './metrics.ts'
import { sampleHost } from './testing/sample-host.ts'

it('metrics are not there unless asked for', async (t) => {
  const app = sampleHost(t)
  addMetrics(app, { metrics: false })
  equal((await app.inject({ url: '/metrics' })).statusCode, 404)
})

it('metrics count by route pattern, method and status, never by path', async (t) => {
  const [app, other] = [sampleHost(t), sampleHost(t)]
  for (const each of [app, other]) addMetrics(each, { metrics: true })
  await app.inject({ url: '/echo?secret=1' })
  await app.inject({ url: '/secret/path' })
  const answer = await app.inject({ url: '/metrics' })
  match(answer.body, /http_request_duration_seconds_count\{method="GET",route="\/echo",status="200"\} 1/)
  match(answer.body, /http_request_duration_seconds_count\{method="GET",route="unmatched",status="404"\} 1/)
  match(answer.body, /process_cpu_seconds_total/)
  doesNotMatch(answer.body, /secret/)
  doesNotMatch((await other.inject({ url: '/metrics' })).body, /route="\/echo"/)
})
