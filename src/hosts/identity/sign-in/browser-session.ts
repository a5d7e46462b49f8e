import type { Language } from '../../../model/language.ts'
import type { Account } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import { type SignInOrigin, type StartedSession, startSession } from '../core/sessions.ts'

/**
 * Starts and logs the session of a fully authenticated user; undefined if the account has changed in the
 * meantime.
 */
export async function beginSession(
  identity: Identity,
  account: Account,
  origin: SignInOrigin,
  { requestId }: { readonly requestId: string },
): Promise<StartedSession | undefined> {
  const session = await startSession(identity, account, origin)
  const { clientId: client, address } = origin
  identity.securityLog({
    event: 'sign-in',
    outcome: session ? 'right' : 'wrong',
    account: account.accountId,
    ...{ client, session: session?.sessionId, provider: origin.outside?.provider, address, requestId },
  })
  for (const ended of session?.endedSessionIds ?? [])
    identity.securityLog({
      event: 'session-ended',
      outcome: 'another account',
      ...{ session: ended, address, requestId },
    })
  return session
}

/** A requested and checked sign-out, on its way through the browser. */
export interface SignOut {
  /** Taken from the identity token that the client sent; the browser's own session comes with its cookie. */
  readonly sessionId: string | undefined
  readonly returnTo: string | undefined
  /** The client requested an unregistered address, so the browser stays here. */
  readonly isAddressUnknown?: boolean
  readonly state: string | undefined
  /** The requesting client, if known: its page asks the user. */
  readonly clientId?: string | undefined
  /** The page language that the client requested. */
  readonly language?: Language | undefined
  /** If true, only a valid hint of the browser's session ends it without asking the user. */
  readonly isSentByOtherSite?: boolean
  /** The browser's session the user is asked about: a post from a page of another site has no cookie. */
  readonly askedSessionId?: string | undefined
}

/** Long enough for one redirect. */
const signOutMilliseconds = 5 * 60_000
/** A page with a question, left open overnight, still works in the morning. */
const askedMilliseconds = 24 * 60 * 60_000

export const sealSignOut = ({ seals, now }: Identity, signOut: SignOut): string =>
  seals.seal(
    'logoutId',
    signOut,
    now() + (signOut.askedSessionId === undefined ? signOutMilliseconds : askedMilliseconds),
  )

export const openSignOut = async ({ seals }: Identity, logoutId: string | undefined): Promise<SignOut> =>
  (logoutId === undefined ? undefined : await seals.open<SignOut>('logoutId', logoutId)) ?? nothingKnown

const nothingKnown: SignOut = { sessionId: undefined, returnTo: undefined, state: undefined }
