import { equal, match } from 'node:assert/strict'
import { it } from 'node:test'
import { securityHeaders } from './cors.ts'
import { documentationPolicy } from './openapi.ts'
import { sampleHost } from './testing/sample-host.ts'

it('every answer carries the security headers', async (t) => {
  const app = sampleHost(t)
  for (const url of ['/echo', '/nothing', '/%zz']) {
    const { headers } = await app.inject({ url })
    for (const [name, value] of Object.entries(securityHeaders)) equal(headers[name], value, `${url} ${name}`)
  }
})

it('a documentation page may load its own scripts and call the named origins', async (t) => {
  const app = sampleHost(t)
  app.get('/swagger', (_request, reply) =>
    reply.header('content-security-policy', documentationPolicy(['http://localhost:5200'])).send('page'),
  )
  const policy = String((await app.inject({ url: '/swagger' })).headers['content-security-policy'])
  match(policy, /default-src 'self';/)
  match(policy, /connect-src 'self' http:\/\/localhost:5200;/)
  match(policy, /frame-ancestors 'none'/)
})
