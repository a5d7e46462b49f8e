import { timingSafeEqual } from 'node:crypto'
import { type Client, digestOf } from '../values/clients.ts'
import { type Call, type Identity, invalidRequest, OAuthError, type Parameters } from './endpoint.ts'

interface Credentials {
  readonly id: string
  readonly secret: string | undefined
  readonly isBasic?: boolean
}

/** RFC 6749, 2.3: a client authenticates by Basic or by `client_secret` in the form; a public one only names itself. */
export function authenticateClient(identity: Identity, call: Call, parameters: Parameters): Client {
  const credentials = parseCredentials(call.headers.authorization, parameters)
  const client = identity.clients.get(credentials.id)
  // The secret of an unknown client is compared too, so that response times do not reveal client names.
  const secretMatches = isSameSecret(client?.secretHash, credentials.secret)
  // The contract's public client names itself in the form, not by Basic.
  const isMethodAllowed =
    !credentials.isBasic || client?.secretHash !== undefined || client?.registration !== undefined
  if (!client || !secretMatches || !isMethodAllowed)
    throw recordRejection(identity, call, client, 'wrong credentials')
  return client
}

/** Requires a client with a secret, for endpoints that describe tokens: the name of a client is public. */
export function authenticateConfidentialClient(
  identity: Identity,
  call: Call,
  parameters: Parameters,
): Client {
  const client = authenticateClient(identity, call, parameters)
  if (client.secretHash === undefined) throw recordRejection(identity, call, client, 'no secret')
  return client
}

/** Returns the error. The name of an unknown client is not logged: it may be a secret sent in the wrong field. */
function recordRejection({ securityLog }: Identity, call: Call, client: Client | undefined, outcome: string) {
  const { address, requestId } = call
  securityLog({ event: 'client-refused', outcome, client: client?.id, address, requestId })
  return invalidClient()
}

export const invalidClient = (description = 'The client could not be authenticated.') =>
  new OAuthError('invalid_client', description, 'Basic realm="identity"')

function parseCredentials(authorization: string | undefined, parameters: Parameters): Credentials {
  const { client_id: id, client_secret: secret } = parameters
  if (authorization === undefined) {
    if (id === undefined) throw invalidClient()
    return { id, secret }
  }
  const basic = parseBasic(authorization)
  if (secret !== undefined || (id !== undefined && id !== basic.id))
    throw invalidRequest('The client must be authenticated in one way only.')
  return basic
}

/** Both parts are form-encoded before they are joined (RFC 6749, 2.3.1). */
function parseBasic(authorization: string): Credentials {
  const encoded = basicPattern.exec(authorization)?.[1] ?? ''
  const [id = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':')
  if (id === '') throw invalidClient()
  // An absent secret equals an empty one (RFC 6749, 2.3.1); okta-auth-js omits the colon, too.
  return { id: decodeForm(id), secret: decodeForm(rest.join(':')) || undefined, isBasic: true }
}

const basicPattern = /^basic +([\w+/-]+={0,2})$/i

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidClient()
  }
}

/** Hashes have equal lengths, so each comparison takes the same time. */
function isSameSecret(expected: Buffer | undefined, given: string | undefined): boolean {
  const isEqual = timingSafeEqual(expected ?? digestOf(''), digestOf(given ?? ''))
  return isEqual && (expected === undefined) === (given === undefined)
}
