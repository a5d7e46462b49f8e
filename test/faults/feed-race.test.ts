import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBudgets } from '../../src/config/budgets.ts'
import { insertRow, newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import type { Caller } from '../../src/model/caller.ts'
import type { Context } from '../../src/records/context.ts'
import { create } from '../../src/records/create.ts'
import { remove } from '../../src/records/remove.ts'
import { restore } from '../../src/records/restore.ts'
import { update } from '../../src/records/update.ts'
import { impediment } from '../../src/resources/impediment.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { type LiveReader, listen } from '../support/live-events.ts'
import { type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

/** `FEED_CHANGES=100000 npm test -- feed-race` for the long run. */
const changesWanted = Number(process.env.FEED_CHANGES ?? 3000)

interface Seen {
  readonly id: string
  readonly rowId: string
}

/** Writers of every kind at once, until there are enough changes. */
async function writeAtFullSpeed({ database, administrator }: RestUnderTest) {
  const context = { database, budgets: openBudgets() } as Context
  const caller: Caller = { id: administrator.id, isAdministrator: true }
  let written = 0
  const until = async (work: () => Promise<number>) => {
    while (written < changesWanted) {
      const count = await work()
      written += count
    }
  }
  const shared = Array.from({ length: 5 }, () => newId())
  for (const id of shared) await create(context, impediment, caller, { id, name: 'Shared' })
  await Promise.all([
    until(async () => {
      await update(context, impediment, caller, { id: shared[randomInt(5)], name: `Shared ${written}` })
      return 1
    }),
    until(async () => {
      await update(context, impediment, caller, { id: shared[randomInt(5)], name: `Again ${written}` })
      return 1
    }),
    // Hundreds at once, removed and restored: their transactions are long, and end in any order.
    ...Array.from({ length: 3 }, () =>
      until(async () => {
        const ids = Array.from({ length: 40 }, () => newId())
        await database.transaction(async (transaction) => {
          for (const id of ids) await insertRow(transaction, impediment, caller, { id, name: 'Batch' })
        })
        await remove(context, impediment, caller, { ids })
        await restore(context, impediment, caller, { ids })
        return 120
      }),
    ),
    // Written early, committed late.
    until(async () => {
      await database.transaction(async (transaction) => {
        await insertRow(transaction, impediment, caller, { id: newId(), name: 'Late' })
        await sleep(randomInt(60))
      })
      return 1
    }),
  ])
}

test('Readers of the feed that are cut off at random have every change once, each row in its order', {
  timeout: 600_000,
}, async () => {
  await using rest = await startRestUnderTest()
  await using another = await rest.startAnother()
  const addresses = [rest.address, another.address]
  await using commandHost = await startCommandsUnderTest({}, { alongside: rest })
  await using commands = openCommandCalls(commandHost.target)
  const commandToken = { token: commandHost.administrator.token }
  const { token } = rest.administrator
  const begin = (await rest.call('GET', '/ext/changes?after=now', { token })).body.result.cursor
  let isDone = false
  let total = Number.POSITIVE_INFINITY

  /** Takes some events and throws away whatever else had arrived, as a reader does that is killed. */
  async function takeSome(reader: LiveReader, wanted: number, before: number) {
    const isEnough = () =>
      reader.events.length >= wanted || reader.isEnded || before + reader.events.length >= total
    while (!isEnough()) await sleep(5)
    reader.close()
    return reader.events.slice(0, wanted)
  }

  async function stream(): Promise<Seen[]> {
    const seen: Seen[] = []
    let last = begin
    for (let round = 0; seen.length < total; round += 1) {
      const headers = { 'last-event-id': last }
      const reader = await listen(addresses[round % 2] as string, '/ext/changes', { token, headers })
      assert.equal(reader.status, 200, reader.rejection)
      const events = await takeSome(reader, randomInt(1, 400), seen.length)
      seen.push(...events.map(({ data }) => data))
      last = events.at(-1)?.id ?? last
    }
    return seen
  }

  async function pages(): Promise<Seen[]> {
    const seen: Seen[] = []
    let cursor = begin
    for (let round = 0; ; round += 1) {
      const wasDone = isDone
      const path = `/ext/changes?after=${cursor}&pageSize=${randomInt(1, 101)}`
      const { status, body } = await send(addresses[round % 2] as string, 'GET', path, { token })
      assert.equal(status, 200, JSON.stringify(body))
      seen.push(...body.result.data)
      cursor = body.result.cursor
      if (wasDone && !body.result.hasMore) return seen
    }
  }

  /** The same by a command: cut off after some messages, with whatever else had arrived thrown away. */
  async function calls(): Promise<Seen[]> {
    const seen: Seen[] = []
    let after = begin
    while (seen.length < total) {
      const call = commands.follow('FollowChanges', { after }, commandToken)
      let isLost = false
      void call.ended.then(() => {
        isLost = true
      })
      const wanted = randomInt(1, 400)
      while (!isLost && call.messages.length < wanted && seen.length + call.messages.length < total)
        await sleep(5)
      call.cancel()
      const taken = call.messages.slice(0, wanted)
      seen.push(...taken.flatMap(({ change }) => (change ? [{ id: change.id, rowId: change.rowId }] : [])))
      after = taken.at(-1)?.cursor ?? after
    }
    return seen
  }

  const readers = [stream(), stream(), pages(), pages(), calls(), calls()]
  await writeAtFullSpeed(rest)
  const kept = await rest.database.query<Seen>(sql`
    select sequence::text as id, row_id as "rowId" from history where resource = 'impediment' order by sequence`)
  total = kept.length
  isDone = true
  assert.ok(kept.length >= changesWanted)
  for (const seen of await Promise.all(readers)) {
    assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'none twice')
    const byNumber = seen.map(({ id, rowId }) => ({ id, rowId })).sort((a, b) => Number(a.id) - Number(b.id))
    assert.deepEqual(byNumber, kept)
    const newest = new Map<string, number>()
    for (const { id, rowId } of seen) {
      assert.ok(Number(id) > (newest.get(rowId) ?? 0), 'the changes of a row are in their order')
      newest.set(rowId, Number(id))
    }
  }
})
