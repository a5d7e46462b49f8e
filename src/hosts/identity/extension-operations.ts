import type { Schema } from '../../http/operation.ts'
import { factorOperations, factorSchemas } from './factors/factor-operations.ts'
import { outsideOperations, pageOperations } from './page-operations.ts'
import type { Operation } from './route.ts'
import { ref, schemas } from './schemas.ts'

const providerOperations = {
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

/** Everything this host does beyond the contract, as its second document describes it. */
export const extensionOperations = {
  ...providerOperations,
  ...factorOperations,
  ...pageOperations,
  ...outsideOperations,
} as const

const shared = Object.fromEntries(['Discovery', 'Error'].map((name) => [name, schemas[name] ?? {}]))

export const extensionSchemas: Readonly<Record<string, Schema>> = {
  ...shared,
  ...factorSchemas,
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
