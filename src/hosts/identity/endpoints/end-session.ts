import type { JWTPayload } from 'jose'
import { languageAmong } from '../../../model/language.ts'
import { onThisHost } from '../core/addresses.ts'
import { optional } from '../core/describe.ts'
import { type Endpoint, type Parameters, parseParameters, requireShortState } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { sealSignOut } from '../sign-in/browser-session.ts'
import { isSentByOtherSite } from '../sign-in/sign-in-origin.ts'
import { parseTokenHint } from '../tokens/verify-token.ts'
import type { Client } from '../values/clients.ts'

/**
 * OpenID Connect RP-Initiated Logout 1.0, 2. An invalid hint or an unregistered address is ignored; neither
 * keeps the user signed in.
 */
export const endSession: Endpoint = {
  id: 'EndSession',
  tag: 'Authorization',
  summary: 'Signs out of the identity session (OpenID Connect RP-Initiated Logout).',
  description:
    'The session ends, and the browser goes to the post-logout address; to one that is not registered it does not go. A browser that another site has sent without an identity token of the session is asked first.',
  method: 'GET',
  path: '/connect/endsession',
  parameters: [
    optional('id_token_hint', 'An identity token of the session to end.'),
    optional('client_id', 'The client.'),
    optional('post_logout_redirect_uri', 'One of its registered addresses, letter for letter.'),
    optional('state', 'Comes back unchanged.'),
  ],
  refusals: [400],
  handler:
    (identity) =>
    async ({ parameters: given, headers }) => {
      const parameters = parseParameters(given)
      requireShortState(parameters)
      const { post_logout_redirect_uri: address, state, ui_locales: locales } = parameters
      const hint = await readHint(identity, parameters)
      const client = findClient(identity, parameters.client_id ?? audienceOf(hint), address)
      const logoutId = sealSignOut(identity, {
        sessionId: typeof hint?.sid === 'string' ? hint.sid : undefined,
        returnTo: client && address,
        isAddressUnknown: address !== undefined && !client,
        state,
        clientId: client?.id,
        language: languageAmong(locales),
        isSentByOtherSite: isSentByOtherSite(identity.settings, headers),
      })
      return { redirectTo: onThisHost(identity.settings, '/api/account/logout', { logoutId }) }
    },
}

export const endSessionByForm: Endpoint = {
  ...endSession,
  id: 'EndSessionByForm',
  summary: 'The same, sent as a form.',
  description: 'As OpenID Connect wants it of every provider: the parameters are those of the query.',
  method: 'POST',
}

/** An identity token issued to a client other than the named one is invalid, too. */
async function readHint(
  identity: Identity,
  { id_token_hint: hint, client_id: named }: Parameters,
): Promise<JWTPayload | undefined> {
  const claims = hint === undefined ? undefined : await parseTokenHint(identity, hint)
  return named === undefined || named === audienceOf(claims) ? claims : undefined
}

const audienceOf = (hint: JWTPayload | undefined): string | undefined =>
  typeof hint?.aud === 'string' ? hint.aud : undefined

/**
 * Finds the requesting client. With an address, it must be registered for that client; without a client id,
 * any client matches.
 */
function findClient(
  { clients }: Identity,
  clientId: string | undefined,
  address: string | undefined,
): Client | undefined {
  if (address === undefined) return clients.get(clientId ?? '')
  return [...clients.values()].find(
    ({ id, postLogoutRedirectUris }) =>
      (clientId === undefined || id === clientId) && postLogoutRedirectUris.includes(address),
  )
}
