import * as client from 'openid-client'
import { sql } from '../../../db/sql.ts'
import type { Language } from '../../../model/language.ts'
import type { Call, HandlerResult } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { clearedCookie } from '../sign-in/identity-cookie.ts'
import { signOutReturnPath } from './attempts.ts'
import { callProvider, FederationError, recordFailure } from './failures.ts'
import { providerSignOutPage } from './pages.ts'
import { requireWebUrl } from './redirect-to-provider.ts'

export interface SignOutReturn {
  readonly returnTo: string
}

interface SignOutContinuation extends SignOutReturn {
  readonly language: Language | undefined
}

/** Leaves time for the provider's own sign-out pages. */
const returnMilliseconds = 60 * 60_000
/** The state is sent in a URL of the provider, together with the identity token. */
const returnCharactersMax = 1500

/**
 * Redirects the browser to the sign-out of the provider where one of these sessions began (OpenID Connect
 * RP-Initiated Logout 1.0), from which it returns to `returnTo`. Returns undefined if there is no such provider, or
 * if it is unreachable.
 */
export async function signOutAtProvider(
  identity: Identity,
  call: Call,
  endedSessionIds: readonly string[],
  { returnTo, language }: SignOutContinuation,
): Promise<HandlerResult | undefined> {
  if (identity.providers.size === 0 || endedSessionIds.length === 0) return undefined
  const [session] = await identity.database.query<{ provider: string; token: string | null }>(sql`
    select provider, outside_token as token from signin_sessions
    where id = any(${endedSessionIds}::text[]) and provider is not null limit 1`)
  const provider = identity.providers.get(session?.provider ?? '')
  if (!session || !provider) return undefined
  try {
    const parameters = await endSessionParameters(identity, session.token, returnTo)
    const url = await callProvider(async () => {
      const configuration = await provider.loadConfiguration()
      return configuration.serverMetadata().end_session_endpoint === undefined
        ? undefined
        : requireWebUrl(client.buildEndSessionUrl(configuration, parameters))
    })
    if (url === undefined) return undefined
    const cookie = clearedCookie(identity)
    // After a post, browsers follow redirects only to URLs that the policy of the form's page allows, so an
    // intermediate page continues.
    return call.method === 'POST'
      ? { page: providerSignOutPage(provider, url.href), language, cookie }
      : { redirectTo: url.href, cookie }
  } catch (error) {
    if (!(error instanceof FederationError)) throw error
    recordFailure(identity, provider, call, error.kind, { failure: error })
    return undefined
  }
}

async function endSessionParameters(
  { settings, seals, now }: Identity,
  sealedToken: string | null,
  returnTo: string,
): Promise<Record<string, string>> {
  const hint =
    sealedToken === null ? undefined : await seals.open<{ token: string }>('outsideToken', sealedToken)
  const state = seals.seal('outsideReturn', { returnTo } satisfies SignOutReturn, now() + returnMilliseconds)
  return {
    post_logout_redirect_uri: `${settings.issuer}${signOutReturnPath}`,
    ...(hint && { id_token_hint: hint.token }),
    ...(state.length <= returnCharactersMax && { state }),
  }
}
