import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Kind, Outcome, Page, Row } from './driver.ts'

/** The request was carried out. */
export async function done(answer: Promise<Outcome>): Promise<Outcome> {
  return rejected(answer, 'ok')
}

/** It ended in this way. */
export async function rejected(answer: Promise<Outcome>, kind: Kind): Promise<Outcome> {
  const outcome = await answer
  if (!outcome.kinds.includes(kind)) assert.fail(`expected ${kind}, got ${inspect(outcome)}`)
  return outcome
}

/** Rejected as invalid, with messages under these keys and no other. */
export async function invalid(answer: Promise<Outcome>, ...keys: string[]): Promise<Outcome> {
  const outcome = await rejected(answer, 'invalid')
  assert.deepEqual(Object.keys(outcome.errors).sort(), keys.sort())
  return outcome
}

/** Rejected as invalid, with exactly these messages. */
export async function invalidWith(
  answer: Promise<Outcome>,
  errors: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  assert.deepEqual((await rejected(answer, 'invalid')).errors, errors)
}

/** The record in the answer. */
export async function recordIn(answer: Promise<Outcome>): Promise<Row> {
  const { record } = await done(answer)
  assert.ok(record, 'the answer holds a record')
  return record
}

/** The page in the answer. */
export async function pageIn(answer: Promise<Outcome>): Promise<Page> {
  const { page } = await done(answer)
  assert.ok(page, 'the answer holds a page')
  return page
}

/** The ids of the listed rows, in their order. */
export async function idsIn(answer: Promise<Outcome>): Promise<string[]> {
  const { data, totalCount, pageNumber, pageSize } = await pageIn(answer)
  if (pageNumber === 1 && data.length < pageSize)
    assert.equal(totalCount, data.length, 'the count is under the same conditions as the rows')
  return data.map(({ id }) => id)
}
