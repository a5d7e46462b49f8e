import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Input, Row } from './driver.ts'
import { onRest } from './every-host.ts'
import { done, recordIn } from './outcomes.ts'
import { commonFields, entities, listPathOf, pathOf, resources } from './resources.ts'

const keysOf = (value: object) => Object.keys(value).sort()

onRest('Bodies over the network', (tracker) => {
  const call = async (method: string, path: string, body?: Input) => {
    const { token } = tracker.administrator
    const answer = await tracker.call(method, path, { token, ...(body && { body }) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  for (const entity of entities) {
    const { own } = resources[entity]

    test(`POST, GET, PATCH, DELETE and restore of ${pathOf(entity)} answer in the shapes of the contract`, async () => {
      const created = await call('POST', pathOf(entity), await tracker.valid(entity))
      assert.deepEqual(keysOf(created), [entity])
      const row: Row = created[entity]
      assert.deepEqual(keysOf(row), [...commonFields, ...own].sort())

      assert.deepEqual(await call('GET', `${pathOf(entity)}?id=${row.id}`), created)

      const page = await call('GET', `${listPathOf(entity)}?ids=${row.id}`)
      const result = { data: [row], totalCount: 1, pageNumber: 1, pageSize: 10, totalPages: 1 }
      assert.deepEqual(page, { result })

      const updated = await call('PATCH', pathOf(entity), tracker.change(entity, row))
      const stored = await call('GET', `${pathOf(entity)}?id=${row.id}`)
      const outcome = entity === 'project' ? { success: true, message: null } : { success: true }
      assert.deepEqual(updated, { ...outcome, ...stored })
      assert.deepEqual(await call('DELETE', pathOf(entity), { ids: [row.id] }), { success: true })
      assert.deepEqual(await call('POST', `${pathOf(entity)}/restore`, { ids: [row.id] }), { success: true })
    })
  }

  test('whole hours stay whole, quarters stay quarters', async () => {
    const { token } = tracker.administrator
    for (const [hours, text] of [
      [2, '2'],
      [100000, '100000'],
      [0.25, '0.25'],
      [7.1, '7.1'],
    ] as const) {
      const { id } = await tracker.make('appointment', { amountHours: hours })
      const response = await fetch(`${tracker.address}/api/appointment?id=${id}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      assert.match(await response.text(), new RegExp(`"amountHours":${text}[,}]`))
    }
  })

  test('an update of a user leaves the password as it is unless it brings one', async () => {
    for (const values of [{}, { password: null }, { password: '' }]) {
      const user = await tracker.make('user', { password: 'Secret-123' })
      await tracker.update('user', tracker.change('user', user, values), tracker.administrator)
      const body = { currentPassword: 'Secret-123', newPassword: 'Changed-123' }
      const { token } = await tracker.signIn(user, 'Secret-123')
      const answer = await tracker.call('POST', '/api/me/password', { token, body })
      assert.deepEqual([answer.status, answer.body], [200, { success: true }])
    }
  })

  test('an account that changes its own password has been updated', async () => {
    const user = await tracker.make('user', { password: 'Secret-123' })
    const body = { currentPassword: 'Secret-123', newPassword: 'Changed-123' }
    await tracker.call('POST', '/api/me/password', {
      token: (await tracker.signIn(user, 'Secret-123')).token,
      body,
    })
    assert.ok((await recordIn(tracker.get('user', user.id, tracker.administrator))).updatedAt)
  })

  test('an update of a user that brings a password replaces it', async () => {
    const user = await tracker.make('user', { password: 'Secret-123' })
    const change = tracker.change('user', user, { password: 'Changed-123' })
    await done(tracker.update('user', change, tracker.administrator))
    const { token } = await tracker.signIn(user, 'Changed-123')
    const body = { currentPassword: 'Secret-123', newPassword: 'Another-123' }
    const answer = await tracker.call('POST', '/api/me/password', { token, body })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.errors, { currentPassword: ['The current password is incorrect.'] })
  })
})
