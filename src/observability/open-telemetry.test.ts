import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { sql } from '../db/sql.ts'
import { startWork } from '../db/work.ts'
import { invalid } from '../model/problem.ts'
import { createExporter, formatTraceparent, openTelemetry, parseTraceContext } from './open-telemetry.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly status?: { readonly code: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
  readonly count: string
  readonly sum: number
  readonly bucketCounts: readonly string[]
  readonly explicitBounds: readonly number[]
}

const attributesOf = ({ attributes }: Point) => attributes.map(({ value }) => value.stringValue)

/** Starts a collector that keeps everything it receives. */
async function startCollector() {
  const bodies: Record<string, string[]> = { '/v1/traces': [], '/v1/metrics': [] }
  const headers: unknown[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    bodies[request.url ?? '']?.push(text)
    headers.push(request.headers.authorization)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    headers,
    spans: (): Span[] =>
      (bodies['/v1/traces'] ?? []).flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans),
    // On a busy machine there are several reports. The last one has the sums of all of them.
    points: (name: string): Point[] =>
      (bodies['/v1/metrics'] ?? [])
        .slice(-1)
        .flatMap((body) => JSON.parse(body).resourceMetrics[0].scopeMetrics[0].metrics)
        .filter((metric) => metric.name === name)
        .flatMap(({ histogram }) => histogram.dataPoints),
    stop: () => server.close(),
  }
}

describe('Telemetry', () => {
  let fresh: FreshDatabase
  before(async () => {
    fresh = await freshDatabase()
  })
  after(() => fresh.drop())

  test('reports a request within the span of its caller', async () => {
    const { database } = fresh
    const collector = await startCollector()
    // A busy process makes its reports late.
    database.onWork(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50))
    const telemetry = await openTelemetry(database, {
      endpoint: collector.endpoint,
      headers: { authorization: 'Bearer collector' },
      serviceName: 'tracker-test',
      sampleRatio: 1,
    })
    const callerSpan = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
    const work = startWork('ListProjects', 'rest', `00-${callerSpan.traceId}-${callerSpan.spanId}-01`)
    await database.complete(work, () => database.query(sql`select ${'hush'}::text as secret`))
    const reportedAt = performance.timeOrigin + performance.now()
    assert.match(
      database.traceHeaders(work).traceparent ?? '',
      new RegExp(`^00-${callerSpan.traceId}-\\w{16}-01$`),
    )
    const unsampled = startWork('ListTypes', 'rest', `00-${callerSpan.traceId}-${callerSpan.spanId}-00`)
    await database.complete(unsampled, () => database.query(sql`select 1`))
    const rejected = startWork('CreateProject', 'commands')
    await database.complete(rejected, async () => Promise.reject(invalid({}))).catch(() => undefined)
    const broken = startWork('GetProject', 'rest')
    await database
      .complete(broken, () => database.query(sql`select ${'hush'}::text, missing`))
      .catch(() => undefined)
    await telemetry.stop()
    collector.stop()

    const spans = collector.spans()
    const named = (name: string) => spans.find((span) => span.name === name)
    const request = named('ListProjects')
    const statement = spans.find(({ parentSpanId }) => parentSpanId === request?.spanId)
    assert.deepEqual(
      [request?.traceId, request?.parentSpanId, request?.kind],
      [callerSpan.traceId, callerSpan.spanId, 2],
    )
    assert.deepEqual(
      [statement?.name, statement?.traceId, statement?.kind],
      ['store read', callerSpan.traceId, 3],
    )
    const timesOf = (span?: Span) => [span?.startTimeUnixNano ?? '', span?.endTimeUnixNano ?? '']
    const inOrder = [timesOf(request)[0], ...timesOf(statement), timesOf(request)[1]]
    assert.deepEqual(inOrder, inOrder.toSorted(), 'The statement is within its request.')
    const endedAt = Number(request?.endTimeUnixNano) / 1e6
    assert.ok(endedAt <= reportedAt - 40, 'The time until the report is not included.')
    assert.equal(named('ListTypes'), undefined)
    assert.equal(named('CreateProject')?.status, undefined)
    assert.deepEqual(named('GetProject')?.status, { code: 2 })
    const everything = JSON.stringify(collector.bodies)
    assert.match(everything, /select \$1::text, missing/)
    assert.doesNotMatch(everything, /hush/)
    assert.match(everything, /tracker-test/)
    assert.deepEqual(collector.points('tracker.operation.duration').map(attributesOf), [
      ['rest', 'ListProjects', 'done'],
      ['rest', 'ListTypes', 'done'],
      ['commands', 'CreateProject', 'done'],
      ['rest', 'GetProject', 'failed'],
    ])
    const [reads] = collector.points('db.client.operation.duration')
    const { count = '', sum = 0, bucketCounts = [], explicitBounds = [] } = reads ?? {}
    assert.deepEqual([reads && attributesOf(reads), count], [['read'], '3'])
    assert.ok(sum > 0)
    assert.equal(bucketCounts.length, explicitBounds.length + 1)
    const counted = bucketCounts.reduce((total, bucketCount) => total + Number(bucketCount), 0)
    assert.equal(counted, 3, 'Each value is in exactly one bucket.')
    assert.ok(collector.headers.every((header) => header === 'Bearer collector'))
  })

  test('is not even loaded without an endpoint', () => {
    const program = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      const hosts = ['web', 'rest', 'identity', 'commands'].map((host) => '../hosts/' + host + '/main')
      for (const part of ['start', 'seed-store', 'maintenance', ...hosts])
        await import(${JSON.stringify(import.meta.resolve('../cli/'))} + part + '.ts')
      console.log(loaded.length, loaded.filter((url) => /open-telemetry|prom-client/.test(url)).length)`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    })
    const [all = 0, ofTelemetry] = stdout.trim().split(' ').map(Number)
    assert.ok(all > 300, stdout)
    assert.equal(ofTelemetry, 0)
  })
})

test('Items for an unreachable collector are dropped, immediately if the queue is full', async () => {
  const exporter = createExporter({ endpoint: 'http://127.0.0.1:1', headers: {} }, '/v1/traces', (items) => ({
    items,
  }))
  for (let count = 0; count < 5000; count += 1) exporter.add({ count })
  assert.equal(exporter.dropped, 5000 - 4096)
  await exporter.flush()
  assert.equal(exporter.dropped, 5000)
})

test('An invalid traceparent begins a new trace', () => {
  const valid = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  for (const invalidHeader of [
    undefined,
    '',
    valid.replace('00-', 'ff-'),
    valid.toUpperCase(),
    valid.replace(/-\w{32}-/, `-${'0'.repeat(32)}-`),
    valid.replace('00f067aa0ba902b7', '0'.repeat(16)),
    valid.slice(0, -1),
  ]) {
    const context = parseTraceContext(invalidHeader, () => false)
    assert.equal(context.parentId, undefined)
    assert.notEqual(context.traceId, '4bf92f3577b34da6a3ce929d0e0e4736')
    assert.match(formatTraceparent(context), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  }
  assert.equal(parseTraceContext(`${valid}-of-a-later-version`, () => false).parentId, '00f067aa0ba902b7')
})
