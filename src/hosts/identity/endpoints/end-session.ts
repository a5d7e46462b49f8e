import type { JWTPayload } from 'jose'
import { languageAmong } from '../../../model/language.ts'
import type { Client } from '../clients.ts'
import type { Identity } from '../identity.ts'
import { invalidRequest } from '../oauth-error.ts'
import { type Parameters, readParameters, requireShortState } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { onThisHost } from '../sign-in/addresses.ts'
import { sealSignOut } from '../sign-in/sign-out.ts'
import { readTokenHint } from '../tokens/verify-token.ts'

/** OpenID Connect RP-Initiated Logout 1.0, 2; with the identity token of this very session without a page in between. */
export const endSession =
  (identity: Identity): Endpoint =>
  async ({ parameters: given }) => {
    const parameters = readParameters(given)
    requireShortState(parameters)
    const hint = await readHint(identity, parameters)
    const clientId = requireSameClient(hint, parameters)
    requireKnownClient(identity, clientId)
    const client = requireRegistered(identity, clientId, parameters.post_logout_redirect_uri)
    const logoutId = sealSignOut(identity, {
      sessionId: typeof hint?.sid === 'string' ? hint.sid : undefined,
      returnTo: parameters.post_logout_redirect_uri,
      state: parameters.state,
      clientId: client?.id,
      language: languageAmong(parameters.ui_locales),
    })
    return { redirectTo: onThisHost(identity.settings, '/api/account/logout', { logoutId }) }
  }

async function readHint(
  identity: Identity,
  { id_token_hint: hint }: Parameters,
): Promise<JWTPayload | undefined> {
  const claims = hint === undefined ? undefined : await readTokenHint(identity, hint)
  if (hint !== undefined && !claims)
    throw invalidRequest('id_token_hint is no identity token of this provider.')
  return claims
}

function requireSameClient(
  hint: JWTPayload | undefined,
  { client_id: named }: Parameters,
): string | undefined {
  const hinted = typeof hint?.aud === 'string' ? hint.aud : undefined
  if (named !== undefined && hinted !== undefined && named !== hinted)
    throw invalidRequest('id_token_hint was issued to another client.')
  return named ?? hinted
}

function requireKnownClient({ clients }: Identity, clientId: string | undefined): void {
  if (clientId !== undefined && !clients.has(clientId)) throw invalidRequest('The client is unknown.')
}

/** Whose sign-out it is. Only to an address that is registered; without a named client, for any of ours. */
function requireRegistered(
  { clients }: Identity,
  clientId: string | undefined,
  address: string | undefined,
): Client | undefined {
  const named = clients.get(clientId ?? '')
  if (address === undefined) return named
  const owner = [...clients.values()].find(
    ({ id, postLogoutRedirectUris }) =>
      (clientId === undefined || id === clientId) && postLogoutRedirectUris.includes(address),
  )
  if (!owner) throw invalidRequest('post_logout_redirect_uri is not registered for the client.')
  return owner
}
