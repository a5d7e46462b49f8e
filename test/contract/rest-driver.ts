import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { type Answer, type Call, startRestUnderTest } from '../support/rest-host.ts'
import type { Caller, Driver, Host, Kind, Outcome, Person, Row } from './driver.ts'
import { type Entity, listPathOf, pathOf } from './resources.ts'

export interface RestHost extends Host {
  /** Restores removed rows, for which only REST has a route. */
  restore(entity: Entity, ids: unknown, as: Caller): Promise<Outcome>
  /** Sends any request and returns the unchanged answer. */
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** Signs in to an account that a request created. */
  signIn(user: Row | Pick<Person, 'login'>, password?: string): Promise<Pick<Person, 'token'>>
  readonly address: string
}

export const restDriver: Driver<RestHost> = {
  name: 'REST',
  hasTypedFields: false,
  hasNamedKeys: true,
  async start() {
    const rest = await startRestUnderTest()
    const agent = new Agent({ keepAlive: true })
    const ask = async (entity: Entity, method: string, path: string, as: Caller, body?: unknown) =>
      outcomeOf(entity, await send(agent, `${rest.address}${path}`, method, as?.token, body))
    return {
      create: (entity, input, as) => ask(entity, 'POST', pathOf(entity), as, input),
      get: (entity, id, as) => ask(entity, 'GET', `${pathOf(entity)}?id=${encodeURIComponent(id)}`, as),
      list: (entity, query, as) => ask(entity, 'GET', `${listPathOf(entity)}?${queryString(query)}`, as),
      update: (entity, input, as) => ask(entity, 'PATCH', pathOf(entity), as, input),
      remove: (entity, ids, as) => ask(entity, 'DELETE', pathOf(entity), as, { ids }),
      restore: (entity, ids, as) => ask(entity, 'POST', `${pathOf(entity)}/restore`, as, { ids }),
      call: rest.call,
      async signIn({ login }, password) {
        const { access_token: token } = await rest.identity.signIn(
          String(login),
          password ? { password } : {},
        )
        return { token }
      },
      address: rest.address,
      signUp: rest.signUp,
      administrator: rest.administrator,
      database: rest.database,
      async stop() {
        agent.destroy()
        await rest.stop()
      },
    }
  },
}

const kindsByStatus: Readonly<Record<number, readonly Kind[]>> = {
  200: ['ok'],
  400: ['invalid'],
  401: ['unauthenticated'],
  403: ['forbidden'],
  404: ['missing'],
  409: ['duplicate', 'inUse', 'stale', 'retry'],
}

const queryString = (query: Readonly<Record<string, string | number>>) =>
  Object.entries(query)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join('&')

type JsonAnswer = Pick<Answer, 'status' | 'body'>

/** The tests send thousands of requests, and `node:http` takes half the time of `fetch` for each. */
function send(agent: Agent, url: string, method: string, token: string | undefined, body: unknown) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }),
  }
  return new Promise<JsonAnswer>((resolve, reject) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        assert.match(response.headers['content-type'] ?? '', /^application\/json\b/)
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) })
      })
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

function outcomeOf(entity: Entity, { status, body }: JsonAnswer): Outcome {
  const kinds = kindsByStatus[status] ?? []
  if (status === 200)
    return { kinds, message: body.message ?? '', errors: {}, record: body[entity], page: body.result }
  assertEnvelope(status, body)
  return { kinds, message: body.message, errors: body.errors ?? {} }
}

/** Asserts that the error has the envelope that all errors have. */
export function assertEnvelope(status: number, body: Answer['body']): void {
  const { statusCode, message, errors = {}, ...others } = body
  assert.deepEqual([statusCode, typeof message, others], [status, 'string', {}], JSON.stringify(body))
  assert.notEqual(message, '')
  for (const [key, messages] of Object.entries<unknown>(errors)) {
    assert.match(key, /^[a-z][A-Za-z0-9]*$/)
    assert.ok(Array.isArray(messages) && messages.length > 0, `errors.${key} is a list`)
    for (const sentence of messages) assert.match(sentence, /^[A-Z].*\.$/s)
  }
}
