import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Queries } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import type { Account } from './insert-account.ts'

export interface IssuerKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

export interface TokenOptions {
  readonly account: Pick<Account, 'id' | 'login' | 'securityStamp'>
  /** The session. The token of a service client has none. */
  readonly sid?: string
  readonly audience?: string | string[]
  readonly scope?: string
  readonly admin?: boolean
  /** Claims that differ from the claims of a valid token. An undefined claim is left out. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** The key that signs the token, instead of the current one. */
  readonly key?: IssuerKey
}

export interface TestIssuer {
  readonly issuer: string
  readonly metadataAddress: string
  /** Returns how often the keys were fetched. */
  fetches(): number
  /** Replaces all responses of the issuer, until it is called without a listener. */
  interrupt(listener?: RequestListener): void
  /** Publishes another key, which signs all later tokens. */
  rotate(): Promise<IssuerKey>
  /** Withdraws every key except the newest one. */
  withdrawOldKeys(): void
  currentKey(): IssuerKey
  token(options: TokenOptions): Promise<string>
  /** Signs an account in as the identity host does: inserts a session, and returns an access token for it. */
  signIn(database: Queries, userId: string, options?: Omit<TokenOptions, 'account' | 'sid'>): Promise<string>
  stop(): Promise<void>
}

/** The lifetime of an access token in the contract. */
const tokenSeconds = 30 * 60

/** Starts a minimal issuer over HTTP, with the claims and paths of the contract. */
export async function startTestIssuer(): Promise<TestIssuer> {
  let keys = [await createKey()]
  let fetches = 0
  let interruption: RequestListener | undefined
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/jwks')) fetches += 1
    if (interruption) return void interruption(request, response)
    void answer(request.url ?? '').then((body) => {
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? {}))
    })
  })
  const answer = async (url: string) => {
    if (url === discoveryPath) return { issuer, jwks_uri: `${issuer}${discoveryPath}/jwks` }
    if (url === `${discoveryPath}/jwks`) return { keys: await Promise.all(keys.map(publicJwk)) }
    return undefined
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const currentKey = () => keys.at(-1) as IssuerKey
  const token = (options: TokenOptions) => signToken(issuer, options.key ?? currentKey(), options)
  return {
    issuer,
    metadataAddress: `${issuer}${discoveryPath}`,
    fetches: () => fetches,
    interrupt(listener) {
      interruption = listener
    },
    async rotate() {
      const key = await createKey()
      keys = [...keys, key]
      return key
    },
    withdrawOldKeys() {
      keys = [currentKey()]
    },
    currentKey,
    token,
    async signIn(database, userId, options = {}) {
      const { sid, account } = await insertSession(database, userId)
      return token({ ...options, account, sid })
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const discoveryPath = '/.well-known/openid-configuration'

async function createKey(): Promise<IssuerKey> {
  const pair = await generateKeyPair('RS256', { extractable: true })
  return { kid: randomBytes(8).toString('hex'), ...pair }
}

async function publicJwk({ kid, publicKey }: IssuerKey): Promise<JWK> {
  return { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
}

function signToken(
  issuer: string,
  key: IssuerKey,
  {
    account,
    sid,
    audience = 'svc-api',
    scope = 'openid profile svc.api offline_access',
    admin,
    claims,
    header,
  }: TokenOptions,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    iss: issuer,
    aud: audience,
    sub: account.id,
    client_id: 'svc-webclient',
    ...(sid !== undefined && { sid }),
    scope,
    iat: now,
    exp: now + tokenSeconds,
    jti: randomUUID(),
    'svc:login': account.login,
    'svc:security_stamp': account.securityStamp,
    ...(admin && { 'svc:admin': 'true' }),
    ...claims,
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey)
}

async function insertSession(database: Queries, userId: string) {
  const sid = randomBytes(16).toString('base64url')
  const [account] = await database.query<Account>(sql`
    with session as (
      insert into signin_sessions (id, user_id, security_stamp, expires_at)
      select ${sid}, id, security_stamp, now() + interval '8 hours' from users where id = ${userId}
    )
    select id, login, name, security_stamp as "securityStamp" from users where id = ${userId}`)
  if (!account) throw new Error(`There is no account ${userId} to sign in.`)
  return { sid, account }
}
