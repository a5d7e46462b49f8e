import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Kind, Outcome, Page, Row } from './driver.ts'

/** Asserts that the request was carried out, and returns its outcome. */
export const done = (answer: Promise<Outcome>): Promise<Outcome> => assertKind(answer, 'ok')

/** Asserts that the request was rejected for this reason, and returns its outcome. */
export const rejected = (answer: Promise<Outcome>, reason: Exclude<Kind, 'ok'>): Promise<Outcome> =>
  assertKind(answer, reason)

/** Asserts that the answer may have this meaning, and returns its outcome. */
export async function assertKind(answer: Promise<Outcome>, kind: Kind): Promise<Outcome> {
  const outcome = await answer
  if (!outcome.kinds.includes(kind)) assert.fail(`expected ${kind}, got ${inspect(outcome)}`)
  return outcome
}

/** Asserts that the request was rejected as invalid, with messages under exactly these keys. */
export async function invalid(answer: Promise<Outcome>, ...keys: string[]): Promise<Outcome> {
  const outcome = await rejected(answer, 'invalid')
  assert.deepEqual(Object.keys(outcome.errors).sort(), keys.sort())
  return outcome
}

/** Asserts that the request was rejected as invalid, with exactly these messages. */
export async function invalidWith(
  answer: Promise<Outcome>,
  errors: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  assert.deepEqual((await rejected(answer, 'invalid')).errors, errors)
}

export async function recordIn(answer: Promise<Outcome>): Promise<Row> {
  const { record } = await done(answer)
  assert.ok(record, 'the answer holds a record')
  return record
}

export async function pageIn(answer: Promise<Outcome>): Promise<Page> {
  const { page } = await done(answer)
  assert.ok(page, 'the answer holds a page')
  return page
}

/** Returns the ids of the listed rows, in their order. */
export async function idsIn(answer: Promise<Outcome>): Promise<string[]> {
  const { data, totalCount, pageNumber, pageSize } = await pageIn(answer)
  if (pageNumber === 1 && data.length < pageSize)
    assert.equal(totalCount, data.length, 'the count has the same conditions as the rows')
  return data.map(({ id }) => id)
}
