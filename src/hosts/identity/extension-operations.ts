import type { Schema } from '../../http/operation.ts'
import type { Operation } from './route.ts'
import { ref, schemas } from './schemas.ts'

/** What answers with JSON beyond the contract, and needs no token. */
export const extensionOperations = {
  getServerMetadata: {
    id: 'GetServerMetadata',
    tag: 'Provider',
    summary: 'The metadata of the authorization server (RFC 8414).',
    description:
      'As the discovery document, without the implicit grant, which that one lists and nobody may use. Names what clients of the settings may do only while there are such clients.',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    answer: ref('Discovery'),
    refusals: [],
  },
  listProviders: {
    id: 'ListProviders',
    tag: 'SignIn',
    summary: 'By whom people may sign in, for sign-in pages of clients.',
    description:
      'A page leads to `/ext/sign-in/with?provider={id}&authRequest={the pending request}` by a link: browsers apply the policy of a page to what a form is led on to.',
    method: 'GET',
    path: '/ext/providers',
    answer: ref('SignInWays'),
    refusals: [],
  },
} as const satisfies Readonly<Record<string, Operation>>

const shared = Object.fromEntries(['Discovery', 'Error'].map((name) => [name, schemas[name] ?? {}]))

export const extensionSchemas: Readonly<Record<string, Schema>> = {
  ...shared,
  SignInWays: {
    type: 'object',
    required: ['passwords', 'providers'],
    properties: {
      passwords: { type: 'boolean', description: 'Whether people may sign in by password.' },
      providers: {
        type: 'array',
        maxItems: 10,
        description: 'Outside providers, in the order of the settings.',
        items: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'string', description: 'Its id in the settings.', examples: ['corp'] },
            name: { type: 'string', description: 'As people are shown it.', examples: ['Our company'] },
          },
        },
      },
    },
  },
}
