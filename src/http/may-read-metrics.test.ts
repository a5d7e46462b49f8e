import { deepEqual, equal } from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readMetricsSettings } from '../config/host-settings.ts'
import { readSettings, SettingsError } from '../config/settings.ts'
import { createBudgets } from '../model/budget.ts'
import { measureHost } from './host-metrics.ts'
import { listen, sampleHost, send } from './testing/sample-host.ts'

const token = 'a-token-of-the-operator'
const budgets = createBudgets({ openStreams: { max: 3, per: 'process', of: 'streams' } })

describe('The metrics', () => {
  const statusesOf = async (app: ReturnType<typeof sampleHost>, requests: readonly object[]) => {
    const statuses: number[] = []
    for (const request of requests)
      statuses.push((await app.inject({ url: '/metrics', ...request })).statusCode)
    return statuses
  }
  const withToken = (text: string) => ({ headers: { authorization: text } })

  it('can be read by programs on the same machine if no token is set', async (t) => {
    const app = sampleHost(t)
    await measureHost(app, { budgets }, { metrics: true })
    const loopback = ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']
    const otherAddresses = ['10.0.0.5', '::ffff:10.0.0.5', '2001:db8::1', 'fe80::1', '0.0.0.0']
    const from = (addresses: string[]) =>
      statusesOf(
        app,
        addresses.map((remoteAddress) => ({ remoteAddress })),
      )
    deepEqual(await from(loopback), [200, 200, 200, 200])
    deepEqual(await from(otherAddresses), [401, 401, 401, 401, 401])
  })

  it('cannot be read by the clients of a proxy on the same machine', async (t) => {
    const app = sampleHost(t, { trustedHops: 1 })
    await measureHost(app, { budgets }, { metrics: true })
    const names = [
      'forwarded',
      'via',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
    ]
    const forwarded = names.map((name) => ({ headers: { [name]: '127.0.0.1' } }))
    deepEqual(
      await statusesOf(app, forwarded),
      names.map(() => 401),
    )
  })

  it('require the token from every client if one is set', async (t) => {
    const app = sampleHost(t)
    await measureHost(app, { budgets }, { metrics: true, metricsToken: token })
    const wrong = ['', token, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, 'Bearer ']
    deepEqual(
      await statusesOf(app, wrong.map(withToken)),
      wrong.map(() => 401),
    )
    deepEqual(
      await statusesOf(app, [{}, { ...withToken(`Bearer ${token}`), remoteAddress: '10.0.0.5' }]),
      [401, 200],
    )
    const port = await listen(app)
    const answer = await send(port, { path: '/metrics', agent: false })
    equal(answer.headers['www-authenticate'], 'Bearer')
  })

  it('accept only a well-formed token in the settings', () => {
    const parse = (text: string) => readSettings({ METRICS_TOKEN: text }, readMetricsSettings).metricsToken
    equal(parse(token), token)
    for (const invalid of ['short', 'has a space in between', 'x'.repeat(300)]) {
      let problems: readonly string[] = []
      try {
        parse(invalid)
      } catch (error) {
        if (error instanceof SettingsError) problems = error.problems
      }
      deepEqual(problems, ['METRICS_TOKEN must have 16 to 256 characters out of A-Z, a-z, 0-9 and -._~+/.'])
    }
  })
})
