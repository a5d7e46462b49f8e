import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Person, type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

describe('Server-Timing', () => {
  let rest: RestUnderTest
  let person: Person
  before(async () => {
    rest = await startRestUnderTest()
    person = await rest.signUp()
  })
  after(() => rest.stop())
  const timingOf = async (path: string, { token }: { readonly token?: string }, address = rest.address) =>
    (await send(address, 'GET', path, token === undefined ? {} : { token })).headers.get('server-timing')
  const shape = /^total;dur=(\d+\.\d), store;dur=(\d+\.\d), queue;dur=(\d+\.\d)$/

  test('shows administrators where the time of their request went, on every route, for errors too', async () => {
    for (const path of ['/api/projects', '/ext/query/comments', '/api/projects?pageNumber=0']) {
      const [, total, store, queue] = shape.exec((await timingOf(path, rest.administrator)) ?? '') ?? []
      assert.ok(Number(total) > 0, path)
      assert.ok(Number(total) + 0.2 >= Number(store) + Number(queue), `${path}: ${total} ${store} ${queue}`)
    }
    const [, , store] = shape.exec((await timingOf('/api/projects', rest.administrator)) ?? '') ?? []
    assert.ok(Number(store) > 0)
  })

  test('reports nothing to other callers', async () => {
    for (const path of ['/api/projects', '/ext/query/comments'])
      assert.equal(await timingOf(path, person), null)
    assert.equal(await timingOf('/api/projects', {}), null)
    assert.equal(await timingOf('/healthz', rest.administrator), null)
  })
})

test('Without the extensions there is no Server-Timing', async (t) => {
  const rest = await startRestUnderTest({ EXTENSIONS: 'off' })
  t.after(() => rest.stop())
  const { token } = rest.administrator
  const { status, headers } = await send(rest.address, 'GET', '/api/projects', { token })
  assert.equal(status, 200)
  assert.equal(headers.get('server-timing'), null)
})
