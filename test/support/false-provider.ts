import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWTPayload, SignJWT } from 'jose'

/** What the next answers are to be, in place of the right ones. */
export interface Misbehaviour {
  readonly discovery?: Readonly<Record<string, unknown>>
  readonly claims?: JWTPayload
  readonly key?: KeyObject
  readonly algorithm?: string
  /** The whole answer of the token endpoint. */
  readonly token?: { readonly status: number; readonly body: string; readonly type?: string }
  /** Every connection is cut. */
  readonly isDown?: boolean
}

/** A provider that can do what no right one does. It shows no pages: tests walk its part. */
export interface FalseProvider {
  readonly issuer: string
  /** The codes that it was sent. */
  readonly codes: string[]
  misbehave: Misbehaviour
  /** The nonce of the sign-in in progress. */
  nonce: string
  now: () => number
  stop(): Promise<void>
}

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = newKey()
export const otherKey: KeyObject = newKey().privateKey

export async function startFalseProvider(): Promise<FalseProvider> {
  const server = createServer((request, response) => {
    if (provider.misbehave.isDown) return void request.socket.destroy()
    const { pathname } = new URL(request.url ?? '/', provider.issuer)
    if (pathname === '/.well-known/openid-configuration') return answer(response, discoveryOf(provider))
    if (pathname === '/keys')
      return answer(response, {
        keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' }],
      })
    let form = ''
    request.on('data', (piece) => {
      form += piece
    })
    request.on('end', () => {
      provider.codes.push(new URLSearchParams(form).get('code') ?? '')
      void answerToken(provider, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider: FalseProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    codes: [],
    misbehave: {},
    nonce: '',
    now: Date.now,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return provider
}

const discoveryOf = ({ issuer, misbehave }: FalseProvider) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256', 'HS256'],
  authorization_response_iss_parameter_supported: true,
  ...misbehave.discovery,
})

async function answerToken({ issuer, nonce, now, misbehave }: FalseProvider, response: ServerResponse) {
  const { token, claims, algorithm = 'RS256' } = misbehave
  if (token) {
    response.writeHead(token.status, { 'content-type': token.type ?? 'application/json' })
    return response.end(token.body)
  }
  const seconds = Math.floor(now() / 1000)
  const identity = await new SignJWT({
    ...{ iss: issuer, aud: 'tracker', sub: 'somebody', iat: seconds, exp: seconds + 300, nonce },
    ...claims,
  })
    .setProtectedHeader({ alg: algorithm, kid: 'a' })
    .sign(algorithm === 'RS256' ? (misbehave.key ?? key.privateKey) : Buffer.from(secret))
  return answer(response, {
    access_token: 'access',
    token_type: 'Bearer',
    expires_in: 300,
    id_token: identity,
  })
}

const secret = 'a secret that the provider has given'

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
