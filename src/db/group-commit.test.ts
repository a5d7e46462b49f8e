import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGroupCommit } from './group-commit.ts'

interface Item {
  readonly account: string
  readonly id: string
}

/** Returns the item with this id, whose first letter is the account. */
const itemOf = (id: string): Item => ({ account: id.slice(0, 1), id })

/** Creates a group commit whose writes end when the test calls `end`. */
function testGroupCommit() {
  const written: string[][] = []
  const ends: ((error?: Error) => void)[] = []
  let idleCount = 0
  const groupCommit = createGroupCommit<Item, string>({
    accountOf: ({ account }) => account,
    idOf: ({ id }) => id,
    onIdle: () => {
      idleCount += 1
    },
    write: (items) =>
      new Promise((resolve, reject) => {
        written.push(items.map(({ id }) => id))
        ends.push((error) =>
          error ? reject(error) : resolve(items.map(({ id }) => (id === 'rejected' ? undefined : id))),
        )
      }),
  })
  const wait = (...ids: string[]) => ids.map((id) => groupCommit.wait(itemOf(id)))
  const end = async (index: number, error?: Error) => {
    ends[index]?.(error)
    await sleep(0)
  }
  return { groupCommit, written, wait, end, idleCount: () => idleCount }
}

describe('batched writes', () => {
  it('run at once if no other write is in progress', () => {
    const { groupCommit, idleCount } = testGroupCommit()
    const endTurn = groupCommit.enter()
    assert.ok(endTurn)
    assert.equal(groupCommit.enter(), undefined)
    endTurn()
    assert.equal(idleCount(), 1)
    assert.ok(groupCommit.enter())
  })

  it('run alone if no other write waits', async () => {
    const { groupCommit, written, wait } = testGroupCommit()
    const endTurn = groupCommit.enter()
    const waiting = wait('a1')
    endTurn?.()
    const [{ turn } = {}] = await Promise.all(waiting)
    assert.ok(turn)
    assert.equal(groupCommit.enter(), undefined)
    assert.deepEqual(written, [])
  })

  it('run together as soon as the write before them is done', async () => {
    const { groupCommit, written, wait, end, idleCount } = testGroupCommit()
    const endTurn = groupCommit.enter()
    const waiting = wait('a1', 'b1', 'rejected')
    assert.deepEqual(written, [])
    endTurn?.()
    assert.deepEqual(written, [['a1', 'b1', 'rejected']])
    assert.equal(idleCount(), 0)
    await end(0)
    assert.deepEqual(
      (await Promise.all(waiting)).map((result) => result.written),
      ['a1', 'b1', undefined],
    )
    assert.equal(idleCount(), 1)
  })

  it('take turns by account, however many writes one account has', async () => {
    const { groupCommit, written, wait, end } = testGroupCommit()
    const endTurn = groupCommit.enter()
    void Promise.all(wait(...Array.from({ length: 40 }, (_, number) => `a${number}`), 'b1', 'c1'))
    endTurn?.()
    assert.equal(written[0]?.length, 32)
    assert.deepEqual(written[0]?.slice(0, 4), ['a0', 'b1', 'c1', 'a1'])
    await end(0)
    assert.deepEqual(written[1], ['a30', 'a31', 'a32', 'a33', 'a34', 'a35', 'a36', 'a37', 'a38', 'a39'])
    await end(1)
  })

  it('are not in one statement if they write the same row', async () => {
    const { groupCommit, written, wait, end } = testGroupCommit()
    const endTurn = groupCommit.enter()
    void Promise.all(wait('a1', 'a1', 'b1', 'a2'))
    endTurn?.()
    assert.deepEqual(written, [['a1', 'b1']])
    await end(0)
    assert.deepEqual(written[1], ['a1', 'a2'])
    await end(1)
  })

  it('wait only briefly for an earlier write that takes long', async () => {
    const { groupCommit, written, wait, end } = testGroupCommit()
    groupCommit.enter()
    void Promise.all(wait('a1', 'b1'))
    await sleep(60)
    assert.deepEqual(written, [['a1', 'b1']])
    await end(0)
    // The first write does not block this write, although it has not ended.
    assert.ok(groupCommit.enter())
  })

  it('fail together', async () => {
    const { groupCommit, wait, end } = testGroupCommit()
    const endTurn = groupCommit.enter()
    const waiting = Promise.allSettled(wait('a1', 'b1'))
    endTurn?.()
    await end(0, new Error('The store is away.'))
    assert.deepEqual(
      (await waiting).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
  })
})
