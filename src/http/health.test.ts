import { deepStrictEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { measureRunningTime } from '../../test/support/running-time.ts'
import { addHealthRoutes, addHelloRoute, type ReadinessCheck } from './listen.ts'
import { sampleHost } from './testing/sample-host.ts'

function healthHost(t: TestContext, checks: readonly ReadinessCheck[]) {
  const app = sampleHost(t)
  addHealthRoutes(app, checks, 50)
  addHelloRoute(app)
  return app
}

const working = { name: 'database', check: async () => undefined }
const broken = { name: 'schema', check: () => Promise.reject(new Error('password=hush')) }

describe('health', () => {
  it('is Healthy at /healthz as soon as the process responds', async (t) => {
    const answer = await healthHost(t, [broken]).inject({ url: '/healthz' })
    equal(answer.statusCode, 200)
    equal(answer.body, 'Healthy')
    equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    equal(answer.headers['cache-control'], 'no-store')
  })

  it('is Healthy at /readyz when every part is ready', async (t) => {
    const answer = await healthHost(t, [working]).inject({ url: '/readyz' })
    equal(answer.statusCode, 200)
    equal(answer.body, 'Healthy')
  })

  it('names the parts that are not ready', async (t) => {
    const answer = await healthHost(t, [working, broken]).inject({ url: '/readyz' })
    equal(answer.statusCode, 503)
    equal(answer.headers['retry-after'], '1')
    deepStrictEqual(answer.json(), {
      statusCode: 503,
      message: 'Not ready: schema.',
      errors: { schema: ['Not ready.'] },
    })
    doesNotMatch(answer.body, /hush/)
  })

  it('waits for a hanging part only up to the time limit', async (t) => {
    let checkCount = 0
    const check = () => {
      checkCount += 1
      return new Promise(() => undefined)
    }
    const hanging = { name: 'database', check }
    const app = healthHost(t, [hanging])
    const milliseconds = measureRunningTime()
    for (let turn = 0; turn < 3; turn += 1) equal((await app.inject({ url: '/readyz' })).statusCode, 503)
    ok(milliseconds() < 500)
    equal(checkCount, 1)
  })
})

it('GET / returns Hello World!', async (t) => {
  const answer = await healthHost(t, []).inject({ url: '/' })
  equal(answer.body, 'Hello World!')
  equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
})
