import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

/** Rows that do not change while the reader pages. */
const lasting = 60
const pageSize = 7

describe('While writers create, remove, restore and change rows, a reader who pages by cursor', () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let lastingIds: readonly string[]
  const token = () => rest.administrator.token
  const impediment = (method: string, body: object, path = '/api/impediment') =>
    workspace.write(method, path, body as Readonly<Record<string, unknown>>)
  const make = async (name: string): Promise<string> => (await workspace.make('impediment', { name })).id

  before(async () => {
    rest = await startRestUnderTest()
    workspace = await furnish(rest)
    lastingIds = await Promise.all(Array.from({ length: lasting }, (_, index) => make(`Stays ${index % 9}`)))
  })
  after(() => rest.stop())

  /** Before, between and behind the rows that stay, in every order. */
  async function disturb(isOver: () => boolean): Promise<number> {
    let writes = 0
    for (let round = 0; !isOver(); round += 1) {
      const id = await make(`Stays ${round % 9}`)
      await impediment('PATCH', { id, name: `Stays ${(round + 4) % 9}` })
      await impediment('DELETE', { ids: [id] })
      if (round % 2 === 0) await impediment('POST', { ids: [id] }, '/api/impediment/restore')
      writes += 4
    }
    return writes
  }

  async function walk(sort: string): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const query: Record<string, string> = { sort, pageSize: String(pageSize), fields: 'name' }
      if (cursor !== null) query.cursor = cursor
      const path = `/ext/query/impediments?${new URLSearchParams(query)}`
      const { status, body } = await rest.call('GET', path, { token: token() })
      assert.equal(status, 200, JSON.stringify(body))
      ids.push(...body.result.data.map(({ id }: { id: string }) => id))
      cursor = body.result.nextCursor
    } while (cursor !== null && ids.length < 10_000)
    return ids
  }

  for (const sort of ['id', '-createdAt', 'name,-createdAt', '-name', 'updatedAt,name'])
    test(`in the order of ${sort} meets every row that was there all the time, and meets it once`, async () => {
      let isOver = false
      const writers = Array.from({ length: 4 }, () => disturb(() => isOver))
      const walks: string[][] = []
      try {
        for (let count = 0; count < 3; count += 1) walks.push(await walk(sort))
      } finally {
        isOver = true
        await Promise.allSettled(writers)
      }
      const writes = (await Promise.all(writers)).reduce((sum, one) => sum + one, 0)
      assert.ok(writes > 10, `${writes} writes`)
      for (const ids of walks) {
        const met = ids.filter((id) => lastingIds.includes(id))
        assert.equal(new Set(met).size, lasting, 'none is skipped')
        assert.equal(met.length, lasting, 'none is doubled')
        if (sort === 'id' || sort === '-createdAt')
          assert.equal(new Set(ids).size, ids.length, 'what cannot move never comes twice')
      }
    })
})
