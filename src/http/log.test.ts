import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { until } from '../../test/support/until.ts'
import { type Budget, createRate } from '../model/budget.ts'
import { createLog } from './log.ts'
import { listen, sampleHost, send } from './testing/sample-host.ts'

function hostWithLog(t: TestContext, level = 'info', unauthenticatedLines?: Budget) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const options = {
    level,
    host: 'rest',
    destination,
    ...(unauthenticatedLines && { lineBudget: unauthenticatedLines }),
  }
  const app = sampleHost(t, { log: createLog(options) })
  app.get('/healthz', () => 'Healthy')
  app.get('/broken', () => Promise.reject(new Error('It broke.')))
  app.get('/authenticated', async (request) => {
    request.isAuthenticated = true
    return 'Authenticated'
  })
  return {
    app,
    requests: () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'A request has ended.'),
    lines,
  }
}

describe('the log', () => {
  it('has one line per request without anything secret', async (t) => {
    const { app, requests, lines } = hostWithLog(t)
    const port = await listen(app)
    const headers = { authorization: 'Bearer hush', cookie: 'a=hush', 'content-type': 'application/json' }
    const path = '/echo?code=hush'
    await send(port, { method: 'POST', path, headers, agent: false }, '{"password":"hush"}')
    equal(requests().length, 1)
    const [line] = requests()
    equal(line.host, 'rest')
    equal(line.method, 'POST')
    equal(line.path, '/echo')
    equal(line.status, 200)
    match(line.reqId, /^[\w-]{36}$/)
    ok(line.milliseconds >= 0)
    doesNotMatch(lines.join(''), /hush/)
  })

  it('uses a harmless request id of the client', async (t) => {
    const { app, requests } = hostWithLog(t)
    const port = await listen(app)
    for (const id of ['0af76519-16cd', 'a"b{}%%%%%%%%']) {
      await send(port, { path: '/echo', headers: { 'x-request-id': id }, agent: false })
    }
    const [first, second] = requests()
    equal(first.reqId, '0af76519-16cd')
    match(second.reqId, /^[\w-]{36}$/)
  })

  it('has no line for a successful health check', async (t) => {
    const { app, requests } = hostWithLog(t)
    const port = await listen(app)
    for (const path of ['/healthz', '/HEALTHZ/', '/%68ealthz']) await send(port, { path, agent: false })
    equal(requests().length, 0)
  })

  it('shows that a client disconnected before its response', async (t) => {
    const { app, requests } = hostWithLog(t)
    app.get('/never', (_request, reply) => {
      reply.hijack()
      socket.destroy()
    })
    const port = await listen(app)
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n'))
    await until(() => requests().length > 0, 'the line about the request')
    equal(requests()[0].aborted, true)
  })

  it('limits the lines of unauthenticated requests', async (t) => {
    let seconds = 0
    const budget = createRate({ max: 5, perSecond: 1, now: () => seconds * 1000 })
    const { app, requests, lines } = hostWithLog(t, 'info', budget)
    const port = await listen(app)
    const get = (path: string) => send(port, { path, agent: false })
    const malformedPath = '/%'
    const unexpected = () => lines.filter((line) => line.includes('It broke.'))
    // The line that counts the omitted lines has `leftOut`.
    const isWithinBudget = ({ leftOut = 0 }) => leftOut === 0
    // One of the omitted lines is about a path for which no hook runs.
    for (let count = 1; count <= 20; count += 1) await get(count === 7 ? malformedPath : '/nowhere')
    for (let count = 1; count <= 20; count += 1) await get('/broken')
    await until(() => unexpected().length > 0, 'the line about the error')
    equal(requests().filter(isWithinBudget).length, 5)
    equal(unexpected().filter((line) => isWithinBudget(JSON.parse(line))).length, 5)
    for (let count = 1; count <= 20; count += 1) await get('/authenticated')
    const authenticated = () => requests().filter(({ path }) => path === '/authenticated')
    await until(() => authenticated().length >= 20, 'the lines of requests whose token was accepted')
    equal(authenticated().length, 20)
    // One line of each kind may be written by a timer before the next request.
    seconds = 2
    await get('/broken')
    const lineCount = (all: { leftOut?: number }[]) =>
      all.reduce((sum, { leftOut = 0 }) => sum + 1 + leftOut, 0)
    await until(() => lineCount(requests()) >= 20 + 20 + 20 + 1, 'the line that counts the others')
    equal(lineCount(requests()), 20 + 20 + 20 + 1)
    equal(lineCount(unexpected().map((line) => JSON.parse(line))), 20 + 1)
    match(requests().at(-1).reqId, /^[\w-]{36}$/)
  })
})
