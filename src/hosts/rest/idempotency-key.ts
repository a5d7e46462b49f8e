import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import type { KeyedRequest } from '../../operations/idempotency-keys.ts'
import { resources } from '../../resources/all.ts'

export const keyHeader = 'Idempotency-Key'
export const replayedHeader = 'Idempotency-Replayed'

export const keyCharactersMax = 255

/** What the header of a POST says: the key, and what it stands for. Nothing without one. */
export function readKeyedRequest(request: FastifyRequest, caller: Caller): KeyedRequest | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  // Two headers arrive as one text with a space in it.
  if (typeof key !== 'string' || key.length > keyCharactersMax || !/^[!-~]+$/.test(key)) {
    throw invalid({
      idempotencyKey: [
        `IdempotencyKey must be 1 to ${keyCharactersMax} visible ASCII characters, without spaces.`,
      ],
    })
  }
  const { method, routeOptions, body } = request
  return {
    account: caller.id,
    // The answer for one token must not be given to another one, which may see less.
    key: hashOf(key, caller.token ? `key of ${caller.token.id}` : 'key'),
    secret: hashOf(key, 'answer'),
    request: hashOf(key, `${method} ${routeOptions.url}\n${JSON.stringify(body, comparable)}`),
  }
}

const hashOf = (key: string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** A fast hash of a password would help anyone who reads the store to guess it: these are not compared. */
const secrets: ReadonlySet<string> = new Set([
  'currentPassword',
  'newPassword',
  ...resources.flatMap(({ fields }) => Object.keys(fields).filter((name) => fields[name]?.isSecret)),
])

/** The order of keys makes no other request. */
function comparable(name: string, value: unknown): unknown {
  if (secrets.has(name)) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
