import type { Language } from '../../../model/language.ts'
import type { Account } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import { insertSession, type SignInOrigin, type StartedSession } from '../core/sessions.ts'

/**
 * Starts the session of a fully authenticated user and records it in the security log. Returns undefined if the
 * account has changed in the meantime.
 */
export async function startSession(
  identity: Identity,
  account: Account,
  origin: SignInOrigin,
  { requestId }: { readonly requestId: string },
): Promise<StartedSession | undefined> {
  const session = await insertSession(identity, account, origin)
  const { clientId: client, address } = origin
  identity.securityLog({
    event: 'sign-in',
    outcome: session ? 'right' : 'wrong',
    account: account.accountId,
    client,
    session: session?.sessionId,
    provider: origin.federated?.provider,
    address,
    requestId,
  })
  for (const ended of session?.endedSessionIds ?? [])
    identity.securityLog({
      event: 'session-ended',
      outcome: 'another account',
      session: ended,
      address,
      requestId,
    })
  return session
}

/**
 * A validated request to sign out. It travels sealed through the browser, which may keep it between two versions of this
 * host, so its property names do not change.
 */
export interface SignOut {
  /** The session of the identity token that the client sent. That of the browser comes with its cookie. */
  readonly sessionId: string | undefined
  readonly returnTo: string | undefined
  /** The client requested an unregistered address, so the browser stays here. */
  readonly isAddressUnknown?: boolean
  readonly state: string | undefined
  /** The requesting client, if known. */
  readonly clientId?: string | undefined
  /** The page language that the client requested. */
  readonly language?: Language | undefined
  /** If true, only a valid hint of the browser's session ends it without asking the user. */
  readonly isSentByOtherSite?: boolean
  /** The browser's session that the user was asked about. A post from a page of another site has no cookie. */
  readonly askedSessionId?: string | undefined
}

/** Long enough for one redirect. */
const signOutMilliseconds = 5 * 60_000
/** A confirmation page that was left open overnight still works in the morning. */
const confirmationMilliseconds = 24 * 60 * 60_000

export const sealSignOut = ({ seals, now }: Identity, signOut: SignOut): string =>
  seals.seal(
    'logoutId',
    signOut,
    now() + (signOut.askedSessionId === undefined ? signOutMilliseconds : confirmationMilliseconds),
  )

export const openSignOut = async ({ seals }: Identity, logoutId: string | undefined): Promise<SignOut> =>
  (logoutId === undefined ? undefined : await seals.open<SignOut>('logoutId', logoutId)) ?? emptySignOut

const emptySignOut: SignOut = { sessionId: undefined, returnTo: undefined, state: undefined }
