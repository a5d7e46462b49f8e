import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Answer } from '../support/rest-host.ts'
import { onRest } from './every-host.ts'
import { invalid } from './outcomes.ts'
import { a, type Entity, entities, listPathOf, pathOf, requiredOnCreate, resources } from './resources.ts'
import { assertEnvelope } from './rest-driver.ts'

/** Values of types that a field of this kind never has. */
const wrongTypes = {
  text: [5, true, {}, ['x']],
  uuid: [5, true, {}, [randomUUID()]],
  number: ['5', '', true, {}, [5]],
  date: [5, true, {}, ['2026-01-01']],
}

const kindOf = (entity: Entity, field: string): keyof typeof wrongTypes => {
  if (field === 'id' || field.endsWith('Id')) return 'uuid'
  if (field.endsWith('Date') || field === 'expectedVersion') return 'date'
  const isNumber = field === 'amountHours' || field === 'order' || field in resources[entity].ranges
  return isNumber ? 'number' : 'text'
}

const requestOnly: Partial<Record<Entity, string[]>> = { user: ['password'], project: ['expectedVersion'] }

onRest('Requests as they come over the network', (tracker) => {
  const ask = (path: string) => tracker.call('GET', path, { token: tracker.administrator.token })

  for (const entity of entities) {
    const { own, list } = resources[entity]

    const fields = ['id', ...own, ...(requestOnly[entity] ?? [])]

    for (const at of [0, 1, 2, 3])
      test(`values of other types are rejected under each field of ${a(entity)}, never as broken JSON (${at})`, async () => {
        const body = Object.fromEntries(fields.map((field) => [field, wrongTypes[kindOf(entity, field)][at]]))
        await invalid(tracker.update(entity, body, tracker.administrator), ...fields)
        const onCreate = fields.filter((field) => field !== 'expectedVersion')
        const created = await tracker.create(entity, body, tracker.administrator)
        for (const field of onCreate) assert.ok(field in created.errors, field)
        assert.ok(!('generalErrors' in created.errors))
      })

    test(`ids of another type are rejected when removing ${a(entity)}`, async () => {
      for (const ids of [undefined, null, randomUUID(), [5]])
        await invalid(tracker.remove(entity, ids, tracker.administrator), 'ids')
    })

    test(`an absent or empty body gets an error for every field ${a(entity)} needs`, async () => {
      const { token } = tracker.administrator
      const headers = { authorization: `Bearer ${token}` }
      const url = `${tracker.address}${pathOf(entity)}`
      const requests = [
        { method: 'POST', headers },
        { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '' },
      ]
      for (const request of requests) {
        const response = await fetch(url, request)
        const { errors } = (await response.json()) as { errors: object }
        assert.equal(response.status, 400)
        assert.deepEqual(Object.keys(errors).sort(), requiredOnCreate(entity).sort())
      }
    })

    test(`a repeated key of a query of ${list} is rejected under that key`, async () => {
      const keys = [
        ...['pageNumber', 'pageSize', 'sortColumn', 'sortOrder', 'search', 'ids'],
        ...resources[entity].filters,
        'anything',
      ]
      const query = keys.flatMap((key) => [`${key}=1`, `${key}=1`]).join('&')
      const { status, body } = await ask(`${listPathOf(entity)}?${query}`)
      assert.equal(status, 400)
      for (const key of keys) assert.ok(key in body.errors, `${key}: ${JSON.stringify(body)}`)
      const twice = await ask(`${pathOf(entity)}?id=${randomUUID()}&id=${randomUUID()}`)
      assert.deepEqual([twice.status, Object.keys(twice.body.errors)], [400, ['id']])
    })

    test(`${a(entity)} is asked for by its id`, async () => {
      const { status, body } = await ask(pathOf(entity))
      assert.deepEqual([status, Object.keys(body.errors)], [400, ['id']])
    })
  }

  test('a key that is repeated with good values is rejected all the same', async () => {
    for (const query of [
      'pageSize=5&pageSize=5',
      'userId=&userId=',
      'anything=1&anything=2',
      'search=a&search=b',
    ]) {
      const { status, body } = await ask(`/api/assignments?${query}`)
      assert.deepEqual([status, Object.keys(body.errors)], [400, [query.slice(0, query.indexOf('='))]])
    }
  })

  for (const key of ['pageNumber', 'pageSize'])
    for (const value of ['abc', '1.5', '1e1', '0x10', '-1', '10px', '9999999999999999999'])
      test(`${value} is rejected as ${key}`, async () => {
        const { status, body } = await ask(`/api/projects?${key}=${value}`)
        assert.deepEqual([status, Object.keys(body.errors)], [400, [key]])
      })

  const sendBroken = async (token?: string) => {
    const response = await fetch(`${tracker.address}/api/workflow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: '{',
    })
    return response.status
  }

  test('a caller who is not signed in learns so before a broken body is read', async () => {
    assert.equal(await sendBroken(), 401)
  })

  test('empty values of a query are none, but for filters', async () => {
    const keys = ['pageNumber', 'pageSize', 'sortColumn', 'sortOrder', 'search']
    const { status, body } = await ask(`/api/projects?${keys.map((key) => `${key}=`).join('&')}`)
    assert.equal(status, 200)
    assert.deepEqual([body.result.pageNumber, body.result.pageSize], [1, 10])
  })

  test('half a character is rejected under its field, never an error of ours', async () => {
    const body = await tracker.valid('organization', { name: 'a\ud800b', description: '\udc00' })
    await invalid(tracker.create('organization', body, tracker.administrator), 'name', 'description')
  })

  test('NUL in a query is rejected, never an error of ours', async () => {
    for (const key of ['search', 'ids', 'organizationId', 'sortOrder', 'pageSize'])
      assert.equal((await ask(`/api/projects?${key}=a%00b`)).status, 400, key)
    for (const query of ['sortColumn=na%00me', '%00=1', 'search=%E0%A4%A', 'search=%'])
      assert.ok((await ask(`/api/projects?${query}`)).status < 500, query)
    assert.equal((await ask('/api/project?id=%00')).status, 400)
  })

  for (const text of ['{', '[]', '"text"', '5', 'null', '{"name": }'])
    test(`${text} is no body: 400 under generalErrors`, async () => {
      const { token } = tracker.administrator
      const response = await fetch(`${tracker.address}/api/organization`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: text,
      })
      const body = (await response.json()) as { errors: object }
      assertEnvelope(400, body)
      assert.deepEqual([response.status, Object.keys(body.errors)], [400, ['generalErrors']])
    })

  const sendName = async (bytes: Buffer, charset = '') => {
    const { token } = tracker.administrator
    const response = await fetch(`${tracker.address}/api/impediment`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': `application/json${charset}` },
      body: Buffer.concat([Buffer.from('{"name":"'), bytes, Buffer.from('"}')]),
    })
    const body = (await response.json()) as Answer['body']
    if (response.status !== 200) assertEnvelope(response.status, body)
    return { status: response.status, body }
  }

  test('bytes that are not UTF-8 are rejected under generalErrors, never stored in another form', async () => {
    for (const bytes of ['fc', 'c3', 'eda080', 'f8888080', 'c080'].map((hex) => Buffer.from(hex, 'hex'))) {
      const { status, body } = await sendName(bytes)
      assert.deepEqual([status, Object.keys(body.errors)], [400, ['generalErrors']])
    }
    const { body } = await sendName(Buffer.from('Ü\ufffd'), '; Charset="UTF-8"')
    assert.equal(body.impediment.name, 'Ü\ufffd')
  })

  test('a body in another character set is rejected with 415', async () => {
    for (const charset of ['iso-8859-1', '"ISO-8859-1"', 'utf-16', 'windows-1252'])
      assert.equal((await sendName(Buffer.from('a'), `; charset=${charset}`)).status, 415, charset)
  })

  for (const [status, method, path, type] of [
    [404, 'GET', '/api/nothing', 'application/json'],
    [404, 'GET', '/api/Projects/x', 'application/json'],
    [405, 'PUT', '/api/project', 'application/json'],
    [405, 'POST', '/api/projects', 'application/json'],
    [415, 'POST', '/api/project', 'text/plain'],
  ] as const)
    test(`${method} ${path} with ${type} is answered with ${status} and the envelope`, async () => {
      const { token } = tracker.administrator
      const response = await fetch(`${tracker.address}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        ...(method !== 'GET' && { body: '{}' }),
      })
      assert.equal(response.status, status)
      assertEnvelope(status, await response.json())
    })
})
