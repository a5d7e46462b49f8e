import { timingSafeEqual } from 'node:crypto'
import { type Client, digestOf } from '../values/clients.ts'
import { type Call, type Identity, invalidRequest, OAuthError, type SingleParameters } from './endpoint.ts'

interface Credentials {
  readonly id: string
  readonly secret: string | undefined
  readonly isBasic?: boolean
}

/**
 * A client authenticates by Basic or by `client_secret` in the form (RFC 6749, 2.3). A public client sends
 * only its id.
 */
export function authenticateClient(identity: Identity, call: Call, parameters: SingleParameters): Client {
  const credentials = parseCredentials(call.headers.authorization, parameters)
  const client = identity.clients.get(credentials.id)
  // The secret for an unknown client is compared, too, so that response times do not reveal client ids.
  const secretMatches = isSameSecret(client?.secretHash, credentials.secret)
  // The public client of the contract sends its id in the form, not by Basic.
  const isMethodAllowed =
    !credentials.isBasic || client?.secretHash !== undefined || client?.registration !== undefined
  if (!client || !secretMatches || !isMethodAllowed)
    throw recordRejection(identity, call, client, 'wrong credentials')
  return client
}

/** Requires a client with a secret. The id is public, so it does not permit introspection of tokens. */
export function authenticateConfidentialClient(
  identity: Identity,
  call: Call,
  parameters: SingleParameters,
): Client {
  const client = authenticateClient(identity, call, parameters)
  if (client.secretHash === undefined) throw recordRejection(identity, call, client, 'no secret')
  return client
}

/**
 * Logs the rejection and returns the error. The id of an unknown client is not logged, because it may be a
 * secret in the wrong field.
 */
function recordRejection({ securityLog }: Identity, call: Call, client: Client | undefined, outcome: string) {
  const { address, requestId } = call
  securityLog({ event: 'client-refused', outcome, client: client?.id, address, requestId })
  return invalidClient()
}

export const invalidClient = (description = 'The client could not be authenticated.') =>
  new OAuthError('invalid_client', description, 'Basic realm="identity"')

function parseCredentials(authorization: string | undefined, parameters: SingleParameters): Credentials {
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
  const [id = '', ...secretParts] = Buffer.from(encoded, 'base64').toString().split(':')
  if (id === '') throw invalidClient()
  // An absent secret equals an empty secret (RFC 6749, 2.3.1). okta-auth-js also omits the colon.
  return { id: decodeForm(id), secret: decodeForm(secretParts.join(':')) || undefined, isBasic: true }
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
function isSameSecret(expectedHash: Buffer | undefined, secret: string | undefined): boolean {
  const isEqual = timingSafeEqual(expectedHash ?? digestOf(''), digestOf(secret ?? ''))
  return isEqual && (expectedHash === undefined) === (secret === undefined)
}
