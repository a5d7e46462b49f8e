import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Query, queryScene } from '../support/query-scene.ts'
import type { Person } from '../support/rest-host.ts'

const { rest, ann, carl, other, write, pageOf, idsOf } = await queryScene()
after(() => rest.stop())

describe('A query under /ext/query/', { concurrency: 8 }, () => {
  const namesOf = async (query: Query, person?: Person): Promise<string[]> =>
    (await pageOf('assignments', query, person)).data.map(({ name }: { name: string }) => name)

  for (const [filter, names] of [
    ["name eq 'Write'", ['Write']],
    ["name eq 'write'", []],
    ["name ne 'Write'", ['Draw', "Pack 'em", 'Print']],
    ["name contains 'RI'", ['Print', 'Write']],
    ["name startsWith 'p'", ["Pack 'em", 'Print']],
    ["name eq 'Pack ''em'", ["Pack 'em"]],
    ["name in ('Draw','Print','Nothing')", ['Draw', 'Print']],
    ["description contains '100%'", ['Write']],
    ["description contains '1_0%'", []],
    ['description eq null', ['Draw', "Pack 'em", 'Print']],
    ['description ne null', ['Write']],
    ["description ne 'x'", ['Draw', "Pack 'em", 'Print', 'Write']],
    ["not description contains 'plan'", ['Draw', "Pack 'em", 'Print']],
    ['amountHours gt 4', ["Pack 'em"]],
    ['amountHours ge 4', ["Pack 'em", 'Print', 'Write']],
    ['amountHours in (2.5, 12)', ['Draw', "Pack 'em"]],
    ['amountHours lt -1', []],
    ["startDate ge '2026-01-06' and startDate lt '2026-02-01'", ['Draw']],
    ["endDate gt '2026-02-03T00:00:00+01:00'", ["Pack 'em", 'Print']],
    ['userId eq me', ["Pack 'em", 'Write']],
    ['not userId eq me', ['Draw', 'Print']],
    ["userId eq me and amountHours gt 4 or name eq 'Draw'", ['Draw', "Pack 'em"]],
    ["userId eq me and (amountHours gt 4 or name eq 'Draw')", ["Pack 'em"]],
    ['not (userId eq me or not amountHours eq 4)', ['Print']],
    ["  name   eq\t'Write'  ", ['Write']],
  ] as const)
    test(`filters by ${filter}`, async () => {
      assert.deepEqual(await namesOf({ filter, sort: 'name' }), names)
    })

  test('filters by an id, by a reference, and by when rows were made', async () => {
    assert.deepEqual(await namesOf({ filter: `id eq '${write.toUpperCase()}'` }), ['Write'])
    assert.deepEqual(await namesOf({ filter: `projectId eq '${other}'` }), [], 'not Carl’s')
    assert.deepEqual(await namesOf({ filter: `projectId eq '${other}'` }, carl), ['Hidden'])
    assert.deepEqual(await namesOf({ filter: "createdAt lt '2020-01-01'" }), [])
    assert.deepEqual(await namesOf({ filter: 'updatedAt ne null' }), ['Draw'])
  })

  test('sorts by several fields, each in its own direction', async () => {
    assert.deepEqual(await namesOf({ sort: '-amountHours,name' }), ["Pack 'em", 'Print', 'Write', 'Draw'])
    assert.deepEqual(await namesOf({ sort: 'amountHours,-name' }), ['Draw', 'Write', 'Print', "Pack 'em"])
  })

  for (const sort of [
    'id',
    '-id',
    'name',
    '-amountHours,name',
    'amountHours,-startDate',
    'updatedAt,-name',
    '-updatedAt',
  ])
    test(`goes on page after page in the order of ${sort}, and each row comes once`, async () => {
      const whole = (await pageOf('assignments', { sort, pageSize: '100' })).data
      const ids = whole.map(({ id }: { id: string }) => id)
      assert.equal(ids.length, 4)
      for (const pageSize of ['1', '2', '3'])
        assert.deepEqual(await idsOf('assignments', { sort, pageSize }, ann), ids)
    })
})
