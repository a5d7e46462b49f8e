import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isDistributed } from '../support/fresh-database.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type LiveReader, listen } from '../support/live-events.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

/** As many as the design asks for. */
const readers = 1000
/** No account may have more. */
const readersOfOne = 20
/** They are opened in groups, as connections come in over time. */
const groupSize = 100

describe('A crowd of live listings', () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let people: Person[]

  before(async () => {
    rest = await startRestUnderTest()
    workspace = await furnish(rest)
    people = await Promise.all(Array.from({ length: readers / readersOfOne }, () => rest.signUp()))
  })
  after(() => rest.stop())

  // Its seconds are those of one PostgreSQL.
  test('of one thousand readers gets one change, all within seconds', {
    skip: isDistributed,
  }, async (context) => {
    const lives: LiveReader[] = []
    const startedAt = Date.now()
    while (lives.length < readers) {
      const group = Array.from({ length: groupSize }, async (_, index) => {
        const { token } = people[(lives.length + index) % people.length] as Person
        const live = await listen(rest.address, '/api/workflows?sortColumn=order', { token })
        await live.next()
        return live
      })
      lives.push(...(await Promise.all(group)))
    }
    const openedAt = Date.now()
    await workspace.make('workflow', { name: 'Told to all', order: 2 })
    const writtenAt = Date.now()
    const events = await Promise.all(lives.map((live) => live.next()))
    for (const { id, data } of events) {
      assert.equal(id, '2')
      assert.deepEqual(data.result.data.at(-1).name, 'Told to all')
    }
    const toldAfter = Math.max(...events.map(({ at }) => at)) - writtenAt
    context.diagnostic(`${readers} opened within ${openedAt - startedAt} ms, told after ${toldAfter} ms`)
    assert.ok(toldAfter < 3000, `The last one was told after ${toldAfter} ms.`)
    const answer = await rest.call('GET', '/api/me', { token: rest.administrator.token })
    assert.equal(answer.status, 200)
    for (const live of lives) live.close()
  })

  test('of readers who come and go leaves the host as it was', async () => {
    const { token } = rest.administrator
    for (let round = 0; round < 3; round += 1) {
      const lives = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          listen(rest.address, `/api/organizations?pageNumber=${index + 1}`, { token }),
        ),
      )
      for (const live of lives) live.close()
    }
    const live = await listen(rest.address, '/api/organizations', { token })
    assert.equal((await live.next()).data.result.totalCount, 1)
    await workspace.make('organization', { name: 'Still told' })
    assert.equal((await live.next()).data.result.totalCount, 2)
    live.close()
  })
})
