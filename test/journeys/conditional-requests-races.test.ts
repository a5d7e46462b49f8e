import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

/** What a client may hold: the count that an answer had, with one of its dates. */
interface Held {
  readonly date: string
  readonly total: number
}

describe('A conditional request with a date that races with writes', () => {
  let rest: RestUnderTest
  let another: Awaited<ReturnType<RestUnderTest['startAnother']>>
  let workspace: Workspace
  before(async () => {
    rest = await startRestUnderTest()
    another = await rest.startAnother()
    workspace = await furnish(rest)
  })
  after(async () => {
    await another.stop()
    await rest.stop()
  })

  const path = '/api/assignmentTypes?pageSize=1&search=burst'
  const never: Held = { date: new Date(0).toUTCString(), total: -1 }

  /** What a client that holds this shows after asking, and what it then holds. */
  async function ask(address: string, { date, total }: Held) {
    const authorization = `Bearer ${rest.administrator.token}`
    const answer = await fetch(address + path, { headers: { authorization, 'if-modified-since': date } })
    const isHeld = answer.status === 304
    const shown: number = isHeld ? total : (await answer.json()).result.totalCount
    const sent = ['last-modified', 'date'].map((name) => answer.headers.get(name))
    const held = sent.flatMap((one): Held[] => (one === null ? [] : [{ date: one, total: shown }]))
    return { isHeld, shown, held }
  }

  test('never gets a 304 that hides a write answered before it was sent, on any instance', async () => {
    const held: Held[] = []
    let written = 0
    let unmodified = 0
    const check = async (one: Held) => {
      for (const address of [rest.address, another.address]) {
        const asked = await ask(address, one)
        assert.equal(asked.shown, written, `${asked.isHeld ? 304 : 200} for ${one.date}`)
        held.push(...asked.held)
        unmodified += Number(asked.isHeld)
      }
    }
    const checkAll = async () => {
      for (const one of [never, ...held.slice(-12)]) await check(one)
    }
    const endAt = Date.now() + 8000
    while (Date.now() < endAt || (unmodified === 0 && Date.now() < endAt + 20_000)) {
      written += 1
      await workspace.make('assignmentType', { name: `Burst ${written}` })
      await checkAll()
      await sleep(written % 4 === 0 ? 2300 : 40)
      await checkAll()
      await checkAll()
    }
    assert.ok(unmodified > 0, 'No date was ever taken.')
  })
})
