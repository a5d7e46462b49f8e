import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Document, openApiBreaks } from './openapi-breaks.ts'

const thing = { $ref: '#/components/schemas/Thing' }
const input = { $ref: '#/components/schemas/ThingInput' }

/** Everything that a rule looks at, once. */
const released = {
  security: [{ bearer: [] }],
  paths: {
    '/things': {
      get: {
        operationId: 'ListThings',
        tags: ['Things'],
        parameters: [
          { in: 'query', name: 'size', schema: { type: 'integer', minimum: 1, maximum: 9 } },
          { in: 'query', name: 'order', schema: { type: 'string', enum: ['UP', 'DOWN'] } },
        ],
        responses: {
          200: {
            headers: { ETag: {} },
            content: { 'application/json': { schema: { type: 'array', items: thing } } },
          },
          400: { $ref: '#/components/responses/Problem' },
        },
      },
      post: {
        operationId: 'CreateThing',
        tags: ['Things'],
        requestBody: { required: true, content: { 'application/json': { schema: input } } },
        responses: { 200: { content: { 'application/json': { schema: thing } } } },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['name', 'state'],
        properties: {
          name: { type: 'string', maxLength: 20 },
          state: { type: 'string', enum: ['new', 'old'] },
          note: { type: ['string', 'null'] },
        },
      },
      ThingInput: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 20 }, note: { type: ['string', 'null'] } },
      },
    },
    responses: { Problem: { content: { 'application/json': { schema: { type: 'object' } } } } },
  },
}

// biome-ignore lint/suspicious/noExplicitAny: the changes reach anywhere into the document
type Change = (document: any) => void

const breaks: readonly (readonly [name: string, change: Change, sentence: string])[] = [
  ['a path that is gone', (it) => delete it.paths['/things'], 'GET /things is gone'],
  ['a method that is gone', (it) => delete it.paths['/things'].post, 'POST /things is gone'],
  [
    'another operation id',
    (it) => Object.assign(it.paths['/things'].get, { operationId: 'Things' }),
    'GET /things: its operation id or tag was ["ListThings",["Things"]] and is ["Things",["Things"]]',
  ],
  [
    'other credentials',
    (it) => Object.assign(it.paths['/things'].get, { security: [{ key: [] }] }),
    'GET /things: its security was [{"bearer":[]}] and is [{"key":[]}]',
  ],
  [
    'a parameter that is gone',
    (it) => it.paths['/things'].get.parameters.shift(),
    'GET /things, query size: is gone',
  ],
  [
    'a new parameter that is required',
    (it) =>
      it.paths['/things'].get.parameters.push({
        in: 'query',
        name: 'of',
        required: true,
        schema: { type: 'string' },
      }),
    'GET /things, query of: is new and required',
  ],
  [
    'a parameter that is required now',
    (it) => Object.assign(it.paths['/things'].get.parameters[0], { required: true }),
    'GET /things, query size: is required now',
  ],
  [
    'a limit of a request that is tighter',
    (it) => Object.assign(it.paths['/things'].get.parameters[0].schema, { maximum: 5 }),
    'GET /things, query size: maximum was 9 and is 5',
  ],
  [
    'a new limit of a request',
    (it) => Object.assign(it.components.schemas.ThingInput.properties.name, { pattern: '^a' }),
    'POST /things, body.name: pattern was absent and is ^a',
  ],
  [
    'a value that a request may no longer have',
    (it) => it.paths['/things'].get.parameters[1].schema.enum.pop(),
    'GET /things, query order: DOWN is no longer taken',
  ],
  [
    'a null that a request may no longer have',
    (it) => Object.assign(it.components.schemas.ThingInput.properties.note, { type: 'string' }),
    'POST /things, body.note: null is no longer taken',
  ],
  [
    'a property of a body that is required now',
    (it) => it.components.schemas.ThingInput.required.push('note'),
    'POST /things, body.note: is required now',
  ],
  [
    'a property of a body that is gone',
    (it) => delete it.components.schemas.ThingInput.properties.note,
    'POST /things, body.note: is gone',
  ],
  [
    'a property of an answer that is gone',
    (it) => delete it.components.schemas.Thing.properties.note,
    'GET /things, answer 200[].note: is gone',
  ],
  [
    'a property of an answer that may be missing now',
    (it) => it.components.schemas.Thing.required.pop(),
    'GET /things, answer 200[].state: may be missing now',
  ],
  [
    'a property of an answer that may be null now',
    (it) => Object.assign(it.components.schemas.Thing.properties.name, { type: ['string', 'null'] }),
    'GET /things, answer 200[].name: may now be null',
  ],
  [
    'another type of an answer',
    (it) => Object.assign(it.components.schemas.Thing.properties.name, { type: 'integer' }),
    'GET /things, answer 200[].name: is no longer string',
  ],
  [
    'an answer with a value that no client knows',
    (it) => it.components.schemas.Thing.properties.state.enum.push('odd'),
    'GET /things, answer 200[].state: may now be odd',
  ],
  [
    'a limit of an answer that is wider',
    (it) => Object.assign(it.components.schemas.Thing.properties.name, { maxLength: 30 }),
    'GET /things, answer 200[].name: maxLength was 20 and is 30',
  ],
  [
    'a success of another status',
    (it) => Object.assign(it.paths['/things'].post.responses, { 201: {} }),
    'POST /things, answer 201: is new',
  ],
  [
    'an answer that is gone',
    (it) => delete it.paths['/things'].get.responses[400],
    'GET /things, answer 400: is gone',
  ],
  [
    'a content type that is gone',
    (it) => delete it.paths['/things'].get.responses[200].content['application/json'],
    'GET /things, answer 200: application/json is gone',
  ],
  [
    'a header that is gone',
    (it) => delete it.paths['/things'].get.responses[200].headers.ETag,
    'GET /things, answer 200: the header ETag is gone',
  ],
  [
    'a body that is required now',
    (it) => Object.assign(it.paths['/things'].get, { requestBody: { required: true, content: {} } }),
    'GET /things, body: is required now',
  ],
  [
    'a schema under another name',
    (it) => {
      it.components.schemas.Item = it.components.schemas.Thing
      it.paths['/things'].get.responses[200].content['application/json'].schema.items = {
        $ref: '#/components/schemas/Item',
      }
    },
    'GET /things, answer 200[]: its schema was #/components/schemas/Thing and is #/components/schemas/Item',
  ],
  [
    'an error of another shape',
    (it) =>
      Object.assign(it.components.responses.Problem.content['application/json'].schema, { type: 'array' }),
    'GET /things, answer 400: is no longer object',
  ],
]

const additions: readonly (readonly [name: string, change: Change])[] = [
  ['a new path', (it) => Object.assign(it.paths, { '/more': it.paths['/things'] })],
  ['a new schema', (it) => Object.assign(it.components.schemas, { More: {} })],
  [
    'a new parameter that may be left out',
    (it) => it.paths['/things'].get.parameters.push({ in: 'query', name: 'of', schema: { type: 'string' } }),
  ],
  [
    'a new property of an answer',
    (it) => Object.assign(it.components.schemas.Thing.properties, { more: {} }),
  ],
  [
    'a new property of a body that may be left out',
    (it) => Object.assign(it.components.schemas.ThingInput.properties, { more: {} }),
  ],
  [
    'a wider limit of a request',
    (it) => Object.assign(it.paths['/things'].get.parameters[0].schema, { maximum: 99 }),
  ],
  [
    'a limit of a request that is gone',
    (it) => delete it.components.schemas.ThingInput.properties.name.maxLength,
  ],
  ['a new error status', (it) => Object.assign(it.paths['/things'].post.responses, { 412: {} })],
  ['other words', (it) => Object.assign(it.paths['/things'].get, { description: 'More of them.' })],
  [
    'the name of a new resource in an answer',
    (it) => {
      it.paths['/ext/gadget'] = it.paths['/things']
      it.components.schemas.Thing.properties.state.enum.push('gadget')
    },
  ],
  ['a property that a body no longer requires', (it) => it.components.schemas.ThingInput.required.pop()],
]

function breaksAfter(change: Change): string[] {
  const changed = structuredClone(released)
  change(changed)
  return openApiBreaks(released as unknown as Document, changed as unknown as Document)
}

describe('A released OpenAPI document is broken by', () => {
  for (const [name, change, sentence] of breaks) {
    test(name, () => assert.ok(breaksAfter(change).includes(sentence), breaksAfter(change).join('\n')))
  }
})

describe('A released OpenAPI document is not broken by', () => {
  for (const [name, change] of additions) {
    test(name, () => assert.deepEqual(breaksAfter(change), []))
  }
})
