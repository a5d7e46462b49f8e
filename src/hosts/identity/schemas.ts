import type { Schema } from '../../http/operation.ts'

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const text = { type: 'string' }
const whole = { type: 'integer' }
const list = (items: Schema): Schema => ({ type: 'array', items })

/** What the answers of this host look like. */
export const schemas: Readonly<Record<string, Schema>> = {
  Discovery: {
    type: 'object',
    required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
    properties: {
      issuer: text,
      authorization_endpoint: text,
      token_endpoint: text,
      userinfo_endpoint: text,
      end_session_endpoint: text,
      revocation_endpoint: text,
      introspection_endpoint: text,
      jwks_uri: text,
    },
    additionalProperties: true,
  },
  KeySet: {
    type: 'object',
    required: ['keys'],
    properties: {
      keys: list({
        type: 'object',
        required: ['kty', 'n', 'e', 'kid', 'alg', 'use'],
        properties: { kty: text, n: text, e: text, kid: text, alg: text, use: text },
      }),
    },
  },
  Tokens: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in', 'scope'],
    properties: {
      access_token: text,
      token_type: { const: 'Bearer' },
      expires_in: whole,
      refresh_token: text,
      id_token: text,
      scope: text,
    },
  },
  TokenDescription: {
    type: 'object',
    required: ['active'],
    properties: {
      active: { type: 'boolean' },
      iss: text,
      sub: text,
      sid: text,
      aud: { oneOf: [text, list(text)] },
      client_id: text,
      scope: text,
      token_type: text,
      username: text,
      iat: whole,
      exp: whole,
      jti: text,
    },
    additionalProperties: true,
  },
  Userinfo: {
    type: 'object',
    required: ['sub'],
    properties: { sub: { type: 'string', format: 'uuid' }, name: text },
  },
  SignInError: {
    type: 'object',
    required: ['error', 'errorDescription'],
    properties: { error: text, errorDescription: text },
  },
  Error: {
    type: 'object',
    required: ['statusCode', 'message'],
    properties: {
      statusCode: whole,
      message: text,
      errors: { type: 'object', additionalProperties: list(text) },
      error: { type: 'string', description: 'The same for OAuth clients, on every address under /connect.' },
      error_description: text,
    },
  },
}
