import assert from 'node:assert/strict'
import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire'
import type { Metadata } from '@grpc/grpc-js'
import type { Answer } from './rest-host.ts'

/** Asserts an error in the envelope of the contract, with the headers of every response. */
export function assertEnvelope(answer: Answer, status: number, errorKeys?: readonly string[]) {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/)
  const { statusCode, message, errors, ...unexpected } = answer.body
  assert.deepEqual(unexpected, {}, 'The envelope has three properties.')
  assert.equal(statusCode, status)
  assert.ok(typeof message === 'string' && message.length > 0)
  assertFieldErrors(errors)
  if (errorKeys !== undefined) assert.deepEqual(Object.keys(errors ?? {}).sort(), [...errorKeys].sort())
  assertSecurityHeaders(answer.headers)
}

/** Asserts exactly these messages by field. */
export function assertRejected({ status, body }: Answer, expected: number, errors: object) {
  assert.equal(status, expected, JSON.stringify(body))
  assert.deepEqual(body.errors, errors)
}

function assertFieldErrors(errors: unknown) {
  if (errors === undefined) return
  assert.ok(typeof errors === 'object' && errors !== null && !Array.isArray(errors))
  for (const [key, messages] of Object.entries(errors)) {
    assert.ok(Array.isArray(messages) && messages.length > 0, key)
    for (const message of messages) assert.ok(typeof message === 'string' && message.length > 0, key)
  }
}

export function assertSecurityHeaders(headers: Headers) {
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('x-frame-options')?.toUpperCase(), 'DENY')
  assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{7,}/)
  assert.ok(headers.get('referrer-policy'))
  assert.match(headers.get('content-security-policy') ?? '', /default-src/)
}

/** Returns the violations in the google.rpc.BadRequest of an error: messages by field. */
export function violationsIn(metadata: Metadata): Readonly<Record<string, readonly string[]>> {
  const [details] = metadata.get('grpc-status-details-bin')
  const violations: Record<string, string[]> = {}
  if (!(details instanceof Buffer)) return violations
  for (const detail of fieldsIn(details).get(3) ?? []) {
    const badRequest = fieldsIn(detail).get(2)?.[0]
    if (badRequest === undefined) continue
    for (const violation of fieldsIn(badRequest).get(1) ?? []) {
      const fields = fieldsIn(violation)
      const field = String(fields.get(1)?.[0])
      const description = String(fields.get(2)?.[0])
      violations[field] = [...(violations[field] ?? []), description]
    }
  }
  return violations
}

/** Returns the length-delimited fields of a message, by their numbers. */
function fieldsIn(bytes: Uint8Array): Map<number, Buffer[]> {
  const reader = new BinaryReader(bytes)
  const found = new Map<number, Buffer[]>()
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (wireType === lengthDelimited) {
      found.set(number, [...(found.get(number) ?? []), Buffer.from(reader.bytes())])
    } else {
      reader.skip(wireType, number)
    }
  }
  return found
}

const lengthDelimited: WireType.LengthDelimited = 2

export const valuesOf = <Name extends PropertyKey, Value>(
  rows: readonly Readonly<Record<Name, Value>>[],
  name: Name,
): Value[] => rows.map((row) => row[name])
