import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixture } from '../../test/support/fixture.ts'
import { freshDatabase } from '../../test/support/fresh-database.ts'
import { invalid, notFound, Problem } from '../model/problem.ts'
import { type Condition, requireConditions } from './conditional-write.ts'
import { raw } from './sql.ts'

describe('The conditions of a write', () => {
  const fresh = fixture(freshDatabase)
  const reject = (rejectIf: string, problem: () => Problem): Condition => ({
    rejectIf: raw(rejectIf),
    problem,
  })
  const rejectionOf = (conditions: readonly Condition[]) =>
    requireConditions(fresh.database, conditions).catch((error: unknown) => error)

  it('report all validation errors', async () => {
    const error = await rejectionOf([
      reject('true', () => invalid({ name: ['Name is odd.'] })),
      reject('false', () => invalid({ name: ['Name is even.'] })),
      reject('null', () => invalid({ name: ['Name is long.'], text: ['Text is long.'] })),
      reject('true', () => notFound('Project')),
    ])
    assert.ok(error instanceof Problem)
    assert.deepEqual(error.errors, { name: ['Name is odd.', 'Name is long.'], text: ['Text is long.'] })
  })

  it('can be at most 31, each of which reports its own problem', async () => {
    const numbered = (count: number, rejecting: number) =>
      Array.from({ length: count }, (_, index) =>
        reject(String(index === rejecting), () => notFound(`Number ${index}`)),
      )
    for (const rejecting of [0, 29, 30]) {
      const error = await rejectionOf(numbered(31, rejecting))
      assert.ok(error instanceof Problem)
      assert.equal(error.message, `Number ${rejecting} was not found.`)
    }
    assert.match(String(await rejectionOf(numbered(32, 0))), /32 conditions, but at most 31/)
  })

  it('count as not checked if the store returns no verdict', async () => {
    const silent = { query: async () => [] }
    await assert.rejects(
      requireConditions(silent, [reject('false', () => notFound('Project'))]),
      /not checked/,
    )
  })
})
