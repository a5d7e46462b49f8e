import type { Schema } from '../../http/operation.ts'

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const text = (description: string, example?: string): Schema => ({
  type: 'string',
  description,
  ...(example !== undefined && { examples: [example] }),
})
const whole = (description: string, example: number): Schema => ({
  type: 'integer',
  description,
  examples: [example],
})
const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description })
const address = (description: string, path: string) => text(description, `http://localhost:5200${path}`)

/** What the answers of this host look like. */
export const schemas: Readonly<Record<string, Schema>> = {
  Discovery: {
    type: 'object',
    required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
    properties: {
      issuer: address('What the iss of tokens is.', ''),
      authorization_endpoint: address('Where browsers are sent to sign in.', '/connect/authorize'),
      token_endpoint: address('Where codes become tokens.', '/connect/token'),
      userinfo_endpoint: address('Who has signed in.', '/connect/userinfo'),
      end_session_endpoint: address('Where browsers are sent to sign out.', '/connect/endsession'),
      revocation_endpoint: address('Where refresh tokens are revoked.', '/connect/revocation'),
      introspection_endpoint: address('Where clients with a secret ask about tokens.', '/connect/introspect'),
      jwks_uri: address('Where the keys are.', '/.well-known/openid-configuration/jwks'),
    },
    additionalProperties: true,
  },
  KeySet: {
    type: 'object',
    required: ['keys'],
    properties: {
      keys: list(
        {
          type: 'object',
          required: ['kty', 'n', 'e', 'kid', 'alg', 'use'],
          properties: {
            kty: text('The kind of key.', 'RSA'),
            n: text('The modulus, in base64url.'),
            e: text('The exponent, in base64url.', 'AQAB'),
            kid: text('Its name in the head of the tokens that it signed.'),
            alg: text('What it signs with.', 'RS256'),
            use: text('What it is for.', 'sig'),
          },
        },
        'Those that tokens may be signed with.',
      ),
    },
  },
  Tokens: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in', 'scope'],
    properties: {
      access_token: text('For the Authorization header of the other hosts; a JWT.', 'eyJhbGciOiJSUzI1NiIs…'),
      token_type: { const: 'Bearer', description: 'How it is sent.' },
      expires_in: whole('Seconds that the access token works.', 3600),
      refresh_token: text('For new tokens, once; with the scope offline_access.'),
      id_token: text('Who has signed in; with the scope openid.'),
      scope: text('Its scopes, separated by spaces.', 'openid profile svc.api'),
    },
  },
  TokenDescription: {
    type: 'object',
    required: ['active'],
    properties: {
      active: { type: 'boolean', description: "Whether it works, and is the client's business." },
      iss: address('The issuer.', ''),
      sub: text('The id of the account.'),
      sid: text('The sign-in that it belongs to.'),
      aud: {
        oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        description: 'The hosts that it is for.',
        examples: ['svc-api'],
      },
      client_id: text('The client that it was given to.', 'robot'),
      scope: text('Its scopes, separated by spaces.', 'openid profile svc.api'),
      token_type: text('access_token or refresh_token.', 'access_token'),
      username: text('The login of the account.', 'ann@example.com'),
      iat: whole('When it was made, in seconds since 1970.', 1767603600),
      exp: whole('When it ends, in seconds since 1970.', 1767607200),
      jti: text('Its own id.'),
    },
    additionalProperties: true,
  },
  Userinfo: {
    type: 'object',
    required: ['sub'],
    properties: {
      sub: { type: 'string', format: 'uuid', description: 'The id of the account.' },
      name: text('What others call the person.', 'Ann Example'),
    },
  },
  SignInError: {
    type: 'object',
    required: ['error', 'errorDescription'],
    properties: {
      error: text('The code of OAuth.', 'invalid_request'),
      errorDescription: text('What was wrong, as a sentence.'),
    },
  },
  Error: {
    type: 'object',
    required: ['statusCode', 'message'],
    properties: {
      statusCode: whole('The status of the answer.', 400),
      message: text('What was wrong, as a sentence for people.', 'One or more validation errors occurred.'),
      errors: {
        type: 'object',
        description: 'Messages by property name; generalErrors holds those not tied to one.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
        examples: [{ grant_type: ['Grant_type is required.'] }],
      },
      error: { type: 'string', description: 'The same for OAuth clients, on every address under /connect.' },
      error_description: text('The message again, for OAuth clients.'),
    },
  },
}
