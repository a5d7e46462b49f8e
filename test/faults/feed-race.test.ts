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
import { remove, restore } from '../../src/records/remove.ts'
import { update } from '../../src/records/update.ts'
import { impediment } from '../../src/resources/catalogs.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { type LiveReader, openEventStream } from '../support/live-events.ts'
import { type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

/** `FEED_CHANGES=100000 npm test -- feed-race` runs for longer. */
const changesMin = Number(process.env.FEED_CHANGES ?? 3000)

interface ReceivedChange {
  readonly id: string
  readonly rowId: string
}

/** Runs writers of every kind at once, until there are enough changes. */
async function writeAtFullSpeed({ database, administrator }: RestUnderTest) {
  const context = { database, budgets: openBudgets() } as Context
  const caller: Caller = { id: administrator.id, isAdministrator: true }
  let written = 0
  const repeat = async (work: () => Promise<number>) => {
    while (written < changesMin) {
      const count = await work()
      written += count
    }
  }
  const shared = Array.from({ length: 5 }, () => newId())
  for (const id of shared) await create(context, impediment, caller, { id, name: 'Shared' })
  await Promise.all([
    repeat(async () => {
      await update(context, impediment, caller, { id: shared[randomInt(5)], name: `Shared ${written}` })
      return 1
    }),
    repeat(async () => {
      await update(context, impediment, caller, { id: shared[randomInt(5)], name: `Again ${written}` })
      return 1
    }),
    // Rows are created, removed and restored in batches, so that transactions are long and end in any order.
    ...Array.from({ length: 3 }, () =>
      repeat(async () => {
        const ids = Array.from({ length: 40 }, () => newId())
        await database.transaction(async (transaction) => {
          for (const id of ids) await insertRow(transaction, impediment, caller, { id, name: 'Batch' })
        })
        await remove(context, impediment, caller, { ids })
        await restore(context, impediment, caller, { ids })
        return 120
      }),
    ),
    // This transaction writes early and commits late.
    repeat(async () => {
      await database.transaction(async (transaction) => {
        await insertRow(transaction, impediment, caller, { id: newId(), name: 'Late' })
        await sleep(randomInt(60))
      })
      return 1
    }),
  ])
}

test('Readers of the feed that are disconnected at random get every change once', {
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

  /** Returns some events, and discards others that have arrived, like a reader that is killed. */
  async function takeSome(reader: LiveReader, wanted: number, before: number) {
    const isEnough = () =>
      reader.events.length >= wanted || reader.isEnded || before + reader.events.length >= total
    while (!isEnough()) await sleep(5)
    reader.close()
    return reader.events.slice(0, wanted)
  }

  async function readStreams(): Promise<ReceivedChange[]> {
    const received: ReceivedChange[] = []
    let last = begin
    for (let round = 0; received.length < total; round += 1) {
      const headers = { 'last-event-id': last }
      const reader = await openEventStream(addresses[round % 2] as string, '/ext/changes', { token, headers })
      assert.equal(reader.status, 200, reader.rejection)
      const events = await takeSome(reader, randomInt(1, 400), received.length)
      received.push(...events.map(({ data }) => data))
      last = events.at(-1)?.id ?? last
    }
    return received
  }

  async function readPages(): Promise<ReceivedChange[]> {
    const received: ReceivedChange[] = []
    let cursor = begin
    for (let round = 0; ; round += 1) {
      const wasDone = isDone
      const path = `/ext/changes?after=${cursor}&pageSize=${randomInt(1, 101)}`
      const { status, body } = await send(addresses[round % 2] as string, 'GET', path, { token })
      assert.equal(status, 200, JSON.stringify(body))
      received.push(...body.result.data)
      cursor = body.result.cursor
      if (wasDone && !body.result.hasMore) return received
    }
  }

  /** Reads the streams of a command. They are also cancelled after some messages. */
  async function readCalls(): Promise<ReceivedChange[]> {
    const received: ReceivedChange[] = []
    let after = begin
    while (received.length < total) {
      const call = commands.follow('FollowChanges', { after }, commandToken)
      let isLost = false
      void call.ended.then(() => {
        isLost = true
      })
      const wanted = randomInt(1, 400)
      while (!isLost && call.messages.length < wanted && received.length + call.messages.length < total)
        await sleep(5)
      call.cancel()
      const messages = call.messages.slice(0, wanted)
      received.push(
        ...messages.flatMap(({ change }) => (change ? [{ id: change.id, rowId: change.rowId }] : [])),
      )
      after = messages.at(-1)?.cursor ?? after
    }
    return received
  }

  const readers = [readStreams(), readStreams(), readPages(), readPages(), readCalls(), readCalls()]
  await writeAtFullSpeed(rest)
  const history = await rest.database.query<ReceivedChange>(sql`
    select sequence::text as id, row_id as "rowId" from history where resource = 'impediment' order by sequence`)
  total = history.length
  isDone = true
  assert.ok(history.length >= changesMin)
  for (const received of await Promise.all(readers)) {
    assert.equal(new Set(received.map(({ id }) => id)).size, received.length, 'none twice')
    const sorted = received
      .map(({ id, rowId }) => ({ id, rowId }))
      .sort((first, second) => Number(first.id) - Number(second.id))
    assert.deepEqual(sorted, history)
    const newest = new Map<string, number>()
    for (const { id, rowId } of received) {
      assert.ok(Number(id) > (newest.get(rowId) ?? 0), 'the changes of a row are in order')
      newest.set(rowId, Number(id))
    }
  }
})
