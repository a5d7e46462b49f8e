import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Client, Clients } from './clients.ts'
import { invalidRequest, OAuthError } from './oauth-error.ts'
import type { Parameters } from './parameters.ts'

interface Credentials {
  readonly id: string
  readonly secret: string | undefined
}

/** RFC 6749, 2.3: by Basic, by `client_secret` in the form, or by name only for a public client. */
export function authenticateClient(
  clients: Clients,
  { authorization }: IncomingHttpHeaders,
  parameters: Parameters,
): Client {
  const credentials = readCredentials(authorization, parameters)
  const client = clients.get(credentials.id)
  // An unknown client is compared too, so that names cannot be told by the time it takes.
  const fits = equalSecrets(client?.secret, credentials.secret)
  if (!client || !fits) throw invalidClient()
  return client
}

/** For endpoints that tell about others' tokens: knowing a public name is not enough. */
export function authenticateConfidentialClient(
  clients: Clients,
  headers: IncomingHttpHeaders,
  parameters: Parameters,
): Client {
  const client = authenticateClient(clients, headers, parameters)
  if (client.secret === undefined) throw invalidClient()
  return client
}

export const invalidClient = (description = 'The client could not be authenticated.') =>
  new OAuthError('invalid_client', description, 'Basic realm="identity"')

function readCredentials(authorization: string | undefined, parameters: Parameters): Credentials {
  const { client_id: id, client_secret: secret } = parameters
  if (authorization === undefined) {
    if (id === undefined) throw invalidClient()
    return { id, secret }
  }
  const basic = readBasic(authorization)
  if (secret !== undefined || (id !== undefined && id !== basic.id))
    throw invalidRequest('The client must be authenticated in one way only.')
  return basic
}

/** Both halves are form-encoded before they are joined (RFC 6749, 2.3.1). */
function readBasic(authorization: string): Credentials {
  const encoded = basicPattern.exec(authorization)?.[1] ?? ''
  const [id = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':')
  if (rest.length === 0) throw invalidClient()
  return { id: decodeForm(id), secret: decodeForm(rest.join(':')) }
}

const basicPattern = /^basic +([\w+/-]+={0,2})$/i

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidClient()
  }
}

/** Hashed first, so that both have one length and take one time. */
function equalSecrets(expected: string | undefined, given: string | undefined): boolean {
  const isEqual = timingSafeEqual(digestOf(expected ?? ''), digestOf(given ?? ''))
  return isEqual && (expected === undefined) === (given === undefined)
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()
