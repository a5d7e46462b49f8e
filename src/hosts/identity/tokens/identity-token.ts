import type { Client } from '../clients.ts'
import type { Identity } from '../identity.ts'
import { signToken } from '../keys/signing-keys.ts'
import type { LiveSession } from '../sessions.ts'
import { personClaims } from './person-claims.ts'

export interface IdentityTokenSubject {
  readonly session: LiveSession
  readonly client: Client
  readonly scopes: readonly string[]
  /** Only the first token of a sign-in repeats it (OpenID Connect Core, 12.2). */
  readonly nonce?: string | null
}

/** Clients read it once, when it arrives. */
const identityTokenSeconds = 5 * 60

/** OpenID Connect Core, 2; undefined when the client did not ask for one. */
export async function issueIdentityToken(
  { settings, signingKeys, now }: Identity,
  { session, client, scopes, nonce }: IdentityTokenSubject,
): Promise<string | undefined> {
  if (!scopes.includes('openid')) return undefined
  const issuedAt = Math.floor(now() / 1000)
  return signToken(signingKeys.current(client.signingAlgorithm), 'JWT', {
    iss: settings.issuer,
    aud: client.id,
    sub: session.accountId,
    sid: session.sessionId,
    iat: issuedAt,
    exp: issuedAt + identityTokenSeconds,
    auth_time: Math.floor((session.provedAt || session.signedInAt) / 1000),
    ...(nonce && { nonce }),
    ...(session.methods && { amr: session.methods }),
    // The word of OpenID's EAP profile for what cannot be given to a page that only looks like ours.
    ...(session.methods?.includes('pop') && { acr: 'phr' }),
    ...personClaims(session, client, scopes),
  })
}
