import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valuesOf } from '../support/assertions.ts'
import { onEveryHost } from './every-host.ts'
import { newWord } from './make-rows.ts'
import { done, invalid, pageIn } from './outcomes.ts'
import { entities } from './resources.ts'

onEveryHost('Pages of a list', (tracker) => {
  /** Creates twelve rows with a word that no other active row contains, and a removed row with this word. */
  const twelve = async () => {
    const search = newWord()
    const rows = await Promise.all(
      Array.from({ length: 12 }, (_, at) => tracker.make('impediment', { name: `${search} ${at}` })),
    )
    await tracker.makeRemoved('impediment', { name: search })
    const page = (query: object) =>
      pageIn(tracker.list('impediment', { search, ...query }, tracker.administrator))
    return { ids: rows.map(({ id }) => id).sort(), page }
  }

  for (const entity of entities)
    test(`a list of ${entity} without a query is the first ten rows in the order of their ids`, async () => {
      const { data, ...page } = await pageIn(tracker.list(entity, {}, tracker.administrator))
      assert.deepEqual([page.pageNumber, page.pageSize], [1, 10])
      assert.ok(data.length <= 10)
      assert.ok(page.totalCount >= data.length)
      assert.equal(page.totalPages, Math.ceil(page.totalCount / 10))
      const ids = data.map(({ id }) => id)
      assert.deepEqual(ids, ids.toSorted())
    })

  test('pages follow each other without a gap and have the same totals', async () => {
    const { ids, page } = await twelve()
    const pages = await Promise.all([1, 2, 3].map((pageNumber) => page({ pageNumber, pageSize: 5 })))
    assert.deepEqual(
      pages.flatMap(({ data }) => data.map(({ id }) => id)),
      ids,
    )
    for (const [at, { data: _, ...totals }] of pages.entries())
      assert.deepEqual(totals, { totalCount: 12, pageNumber: at + 1, pageSize: 5, totalPages: 3 })
  })

  test('by default a page has ten rows', async () => {
    const { ids, page } = await twelve()
    const { data, ...totals } = await page({})
    assert.deepEqual(valuesOf(data, 'id'), ids.slice(0, 10))
    assert.deepEqual(totals, { totalCount: 12, pageNumber: 1, pageSize: 10, totalPages: 2 })
  })

  test('a page beyond the end is empty and still has the totals', async () => {
    const { page } = await twelve()
    for (const pageNumber of [4, 21474836])
      assert.deepEqual(await page({ pageNumber, pageSize: 5 }), {
        data: [],
        totalCount: 12,
        pageNumber,
        pageSize: 5,
        totalPages: 3,
      })
  })

  test('a search that finds nothing is answered with an empty page and totals of zero', async () => {
    const query = { search: newWord() }
    assert.deepEqual(await pageIn(tracker.list('impediment', query, tracker.administrator)), {
      data: [],
      totalCount: 0,
      pageNumber: 1,
      pageSize: 10,
      totalPages: 0,
    })
  })

  test('a page may have from one to a hundred rows', async () => {
    const { ids, page } = await twelve()
    assert.equal((await page({ pageSize: 100 })).data.length, 12)
    const last = await page({ pageSize: 1, pageNumber: 12 })
    assert.deepEqual([last.data[0]?.id, last.totalPages], [ids[11], 12])
  })

  const invalidValues = {
    pageSize: [0, -1, 101, 1000000],
    pageNumber: [0, -1, 21474837],
    sortOrder: ['up', 'ASCENDING', '1'],
  }
  for (const [key, values] of Object.entries(invalidValues))
    for (const value of values)
      test(`${value} is rejected as ${key}`, async () => {
        await invalid(tracker.list('project', { [key]: value }, tracker.administrator), key)
      })

  for (const entity of entities)
    test(`a list of ${entity} rejects paging and sorting outside the limits`, async () => {
      const query = { pageSize: 101, pageNumber: 0, sortOrder: 'up' }
      await invalid(tracker.list(entity, query, tracker.administrator), ...Object.keys(query))
    })

  test('every violation of a query is reported at once', async () => {
    const query = {
      pageNumber: 0,
      pageSize: 101,
      sortOrder: 'up',
      search: 'x'.repeat(129),
      ids: 'none',
      organizationId: 'none',
      userId: 'none',
      dateFrom: 'soon',
    }
    await invalid(tracker.list('project', query, tracker.administrator), ...Object.keys(query))
  })

  test('sorting does not change the totals', async () => {
    const { page } = await twelve()
    const { totalCount } = await page({ sortColumn: 'name', sortOrder: 'DESC', pageSize: 3 })
    assert.equal(totalCount, 12)
    await done(tracker.list('impediment', { sortColumn: 'none' }, tracker.administrator))
  })
})
