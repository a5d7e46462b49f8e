import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { furnish, type Workspace } from '../support/furnish.ts'
import { listen } from '../support/live-events.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('A live listing under /ext/, when its client comes back,', { concurrency: true }, () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let assignmentId: string
  before(async () => {
    rest = await startRestUnderTest()
    workspace = await furnish(rest)
    assignmentId = await workspace.assignment(await workspace.project(), rest.administrator.id)
  })
  after(() => rest.stop())
  const say = (text: string) =>
    workspace.make('comment', { text, assignmentId, userId: rest.administrator.id })
  const open = (path: string, lastId?: string, address = rest.address) =>
    listen(address, path, {
      token: rest.administrator.token,
      ...(lastId !== undefined && { headers: { 'last-event-id': lastId } }),
    })

  test('gets no snapshot again that it holds, and the next change, on another instance too', async () => {
    const another = await rest.startAnother()
    await say('held')
    const path = '/ext/comments?search=held'
    const first = await open(path)
    const { id } = await first.next()
    first.close()
    // Nothing of this list has changed, though other things have.
    await workspace.make('organization', { name: 'Elsewhere' })
    const again = await open(path, id, another.address)
    await say('held too')
    const next = await again.next()
    assert.equal(again.events.length, 1)
    assert.equal(next.data.result.totalCount, 2)
    assert.notEqual(next.id, id)
    again.close()
    await another.stop()
  })

  test('that was sent away by a host that stops goes on at another one, and nothing is missed', async () => {
    const stopping = await rest.startAnother()
    await say('moving')
    const path = '/ext/comments?search=moving'
    const [live, ofContract, feed] = await Promise.all([
      open(path, undefined, stopping.address),
      open('/api/organizations', undefined, stopping.address),
      open('/ext/changes?resource=comment', undefined, stopping.address),
    ])
    const { id } = await live.next()
    await ofContract.next()
    const { id: seen } = await feed.nextWhere(({ data }) => data.after?.text === 'moving')
    await stopping.stop()
    await Promise.all([live.ended, ofContract.ended, feed.ended])
    for (const { retryMilliseconds = 0 } of [live, ofContract, feed])
      assert.ok(retryMilliseconds > 0 && retryMilliseconds <= 3000, `${retryMilliseconds}`)
    const { id: row } = await say('moving on')
    const [again, feedAgain] = await Promise.all([
      open(path, id),
      open('/ext/changes?resource=comment', seen),
    ])
    assert.equal((await again.next()).data.result.totalCount, 2)
    assert.equal((await feedAgain.nextWhere(({ data }) => data.rowId === row)).data.after?.text, 'moving on')
    again.close()
    feedAgain.close()
  })

  test('gets the newest snapshot at once when it missed something', async () => {
    await say('missed')
    const path = '/ext/comments?search=missed'
    const first = await open(path)
    const { id } = await first.next()
    first.close()
    await say('missed again')
    const again = await open(path, id)
    assert.equal((await again.next()).data.result.totalCount, 2)
    again.close()
  })

  test('gets a snapshot after an id that is of another list, or of none', async () => {
    const people = await open('/ext/people')
    const { id } = await people.next()
    people.close()
    for (const other of [id, '7', 'x~y', '~']) {
      const live = await open('/ext/comments', other)
      assert.equal((await live.next()).name, 'listing')
      live.close()
    }
  })

  test('may continue in the feed from the position of its snapshot', async () => {
    const live = await open('/ext/comments?search=onwards')
    const { id } = await live.next()
    live.close()
    const { id: rowId } = await say('onwards')
    const path = `/ext/changes?after=${encodeURIComponent(id)}&resource=comment`
    const { body } = await rest.call('GET', path, rest.administrator)
    assert.ok(body.result.data.some((change: { rowId: string }) => change.rowId === rowId))
  })
})
