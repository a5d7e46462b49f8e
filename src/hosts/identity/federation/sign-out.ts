import * as client from 'openid-client'
import { sql } from '../../../db/sql.ts'
import type { Language } from '../../../model/language.ts'
import type { Answer, Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { removedCookie } from '../sign-in/identity-cookie.ts'
import { signOutReturnPath } from './attempts.ts'
import { askProvider, FederationError, recordFailure } from './failures.ts'
import { leavingPage } from './pages.ts'
import { requireWebAddress } from './redirect-to-provider.ts'

export interface Return {
  readonly returnTo: string
}

interface Leaving extends Return {
  readonly language: Language | undefined
}

/** Leaves time for the provider's own questions at sign-out. */
const returnMilliseconds = 60 * 60_000
/** It is sent in an address of the provider, together with the identity token. */
const returnCharactersMax = 1500

/**
 * Returns the sign-out at the provider where one of these sessions began (OpenID Connect RP-Initiated Logout
 * 1.0), from which the browser returns to `returnTo`; undefined if there is none, or it is unreachable.
 */
export async function signOutAtProvider(
  identity: Identity,
  call: Call,
  endedSessionIds: readonly string[],
  { returnTo, language }: Leaving,
): Promise<Answer | undefined> {
  if (identity.providers.size === 0 || endedSessionIds.length === 0) return undefined
  const [session] = await identity.database.query<{ provider: string; token: string | null }>(sql`
    select provider, outside_token as token from signin_sessions
    where id = any(${endedSessionIds}::text[]) and provider is not null limit 1`)
  const provider = identity.providers.get(session?.provider ?? '')
  if (!session || !provider) return undefined
  try {
    const parameters = await parametersOf(identity, session.token, returnTo)
    const address = await askProvider(async () => {
      const configuration = await provider.configure()
      return configuration.serverMetadata().end_session_endpoint === undefined
        ? undefined
        : requireWebAddress(client.buildEndSessionUrl(configuration, parameters))
    })
    if (address === undefined) return undefined
    const cookie = removedCookie(identity)
    // After a post, browsers follow redirects only to addresses named by the page with the form, so an
    // intermediate page continues.
    return call.method === 'POST'
      ? { page: leavingPage(provider, address.href), language, cookie }
      : { redirectTo: address.href, cookie }
  } catch (error) {
    if (!(error instanceof FederationError)) throw error
    recordFailure(identity, provider, call, error.kind, { failure: error })
    return undefined
  }
}

async function parametersOf(
  { settings, seals, now }: Identity,
  sealedToken: string | null,
  returnTo: string,
): Promise<Record<string, string>> {
  const kept =
    sealedToken === null ? undefined : await seals.open<{ token: string }>('outsideToken', sealedToken)
  const state = seals.seal('outsideReturn', { returnTo } satisfies Return, now() + returnMilliseconds)
  return {
    post_logout_redirect_uri: `${settings.issuer}${signOutReturnPath}`,
    ...(kept && { id_token_hint: kept.token }),
    ...(state.length <= returnCharactersMax && { state }),
  }
}
