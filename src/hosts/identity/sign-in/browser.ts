import type { IncomingHttpHeaders } from 'node:http'
import { type Language, preferredLanguage } from '../../../model/language.ts'
import { forbidden } from '../../../model/problem.ts'
import type { PendingRequest } from '../authorization/authorization-request.ts'
import type { Call, Identity } from '../core/endpoint.ts'
import {
  type Account,
  type ActiveSession,
  findActiveSession,
  insertSession,
  type SignInSource,
  type StartedSession,
} from '../core/sessions.ts'
import type { IdentitySettings } from '../values/settings.ts'

/**
 * Starts the session of a fully authenticated user and records it in the security log. Returns undefined if
 * the account has changed in the meantime.
 */
export async function startSession(
  identity: Identity,
  account: Account,
  source: SignInSource,
  { requestId }: { readonly requestId: string },
): Promise<StartedSession | undefined> {
  const session = await insertSession(identity, account, source)
  const { clientId: client, address } = source
  identity.securityLog({
    event: 'sign-in',
    outcome: session ? 'right' : 'wrong',
    account: account.accountId,
    client,
    session: session?.sessionId,
    provider: source.federated?.provider,
    address,
    requestId,
  })
  for (const endedSessionId of session?.endedSessionIds ?? [])
    identity.securityLog({
      event: 'session-ended',
      outcome: 'another account',
      session: endedSessionId,
      address,
      requestId,
    })
  return session
}

/**
 * A validated request to sign out. It passes through the browser encrypted and may be read by another
 * version, so its property names must not change.
 */
export interface SignOut {
  /** The session of the identity token that the client sent. The cookie names the browser's own. */
  readonly sessionId: string | undefined
  readonly returnTo: string | undefined
  /** The client requested an unregistered address, so the browser stays here. */
  readonly isAddressUnknown?: boolean
  readonly state: string | undefined
  readonly clientId?: string | undefined
  /** The page language that the client requested. */
  readonly language?: Language | undefined
  /** If true, only a valid hint of the browser's session ends it without asking the user. */
  readonly isSentByOtherSite?: boolean
  /**
   * The browser's session that the user was asked about. A post from a page of another site has no cookie.
   */
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

interface CookieValue {
  readonly sessionId: string
}

const sessionCookie = 'identity'

type CookieSettings = Pick<Identity, 'settings'>

/** Creates the cookie of a session. It expires with the session and is never extended. */
export function identityCookie(
  { settings, seals, now }: Pick<Identity, 'settings' | 'seals' | 'now'>,
  { sessionId, expiresAt }: Pick<StartedSession, 'sessionId' | 'expiresAt'>,
): string {
  const value = seals.seal('cookie', { sessionId } satisfies CookieValue, expiresAt)
  return serializeCookie({ settings }, sessionCookie, value, Math.round((expiresAt - now()) / 1000))
}

export const clearedCookie = (identity: CookieSettings): string =>
  serializeCookie(identity, sessionCookie, '', 0)

export const findSessionCookie = (
  identity: CookieSettings,
  headers: IncomingHttpHeaders,
): string | undefined => findCookie(identity, sessionCookie, headers)

export function findCookie(
  identity: CookieSettings,
  name: string,
  { cookie: header = '' }: IncomingHttpHeaders,
): string | undefined {
  const prefix = `${cookieName(identity, name)}=`
  const pairs = header.split(';').map((part) => part.trim())
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
}

/** Returns the session id in the browser's cookie, even if the session has ended. */
export async function readSessionId(
  { settings, seals }: Pick<Identity, 'settings' | 'seals'>,
  headers: IncomingHttpHeaders,
): Promise<string | undefined> {
  const cookie = findSessionCookie({ settings }, headers)
  const opened = cookie === undefined ? undefined : await seals.open<CookieValue>('cookie', cookie)
  return opened?.sessionId
}

/** Finds the browser's session if it is still active. */
export async function findBrowserSession(
  identity: Identity,
  headers: IncomingHttpHeaders,
): Promise<ActiveSession | undefined> {
  const sessionId = await readSessionId(identity, headers)
  return sessionId === undefined ? undefined : findActiveSession(identity, sessionId)
}

/**
 * The `__Host-` prefix prevents other hosts of the domain from setting the cookie. Browsers require HTTPS for
 * it.
 */
const cookieName = ({ settings }: CookieSettings, name: string): string =>
  isSecure({ settings }) ? `__Host-${name}` : name

const isSecure = ({ settings }: CookieSettings): boolean => settings.issuer.startsWith('https:')

/**
 * Lax lets the browser send the cookie when it is redirected to authorize, but never with posts of another
 * site.
 */
export const serializeCookie = (
  identity: CookieSettings,
  name: string,
  value: string,
  maxAgeSeconds: number,
): string =>
  [
    `${cookieName(identity, name)}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(identity) ? ['Secure'] : []),
  ].join('; ')

/** Longer than the header that browsers send. */
const userAgentCharactersMax = 256

/**
 * Returns the source of a sign-in for the new session. Posts from a page of another site carry no cookie, so
 * the earlier sessions of the browser come from the cookie and the pending request.
 */
export async function signInSourceOf(
  identity: Identity,
  { headers, address }: Call,
  { request, sessionId: knownSessionId }: PendingRequest,
): Promise<SignInSource> {
  const cookieSessionId = await readSessionId(identity, headers)
  // Clients that are not browsers send no such header and accept any language.
  const { 'accept-language': ranges = '*' } = headers
  const acceptedLanguage = ranges === '*' ? undefined : preferredLanguage(ranges)
  return {
    clientId: request.clientId,
    address,
    userAgent: headers['user-agent']?.slice(0, userAgentCharactersMax),
    earlierSessionIds: [cookieSessionId, knownSessionId].filter((id) => id !== undefined),
    language: request.language ?? acceptedLanguage,
  }
}

/**
 * Rejects posts from pages of other origins. A foreign page could sign a visitor out, or in to an account of
 * its choice. `subject` begins the sentence of the error.
 */
export function requireAllowedOrigin(
  allowedOrigins: readonly string[],
  { origin, referer }: IncomingHttpHeaders,
  { subject = 'The sign-in' }: { readonly subject?: string } = {},
): void {
  const sender = origin ?? originOf(referer)
  if (sender === undefined || !allowedOrigins.includes(sender))
    throw forbidden(`${subject} must come from an allowed origin.`)
}

const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined

/**
 * Returns whether a page of another site has sent the browser here. Browsers report this in `Sec-Fetch-Site`.
 * Without it, `Origin` and `Referer` are checked. Other ports of this host and the allowed origins are not
 * another site.
 */
export function isSentByOtherSite(
  { issuer, allowedOrigins }: Pick<IdentitySettings, 'issuer' | 'allowedOrigins'>,
  { 'sec-fetch-site': fetchSite, origin, referer }: IncomingHttpHeaders,
): boolean {
  if (fetchSite !== undefined) return !ownSites.has(String(fetchSite))
  const isOwn = (page: string) =>
    URL.canParse(page) && (siteOf(page) === siteOf(issuer) || allowedOrigins.includes(new URL(page).origin))
  return [origin, referer].some((page) => page !== undefined && page !== '' && !isOwn(page))
}

/** `none` means that the URL was typed or bookmarked. */
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'same-site', 'none'])

function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url)
  return `${protocol}//${hostname}`
}

/**
 * Rejects a prefetch, because a sign-out has an effect. The browser requests the URL again if the user
 * follows the link.
 */
export function requireNoPrefetch({
  'sec-purpose': purpose,
  purpose: legacyPurpose,
}: IncomingHttpHeaders): void {
  if (`${purpose} ${legacyPurpose}`.includes('prefetch')) throw forbidden('A sign-out cannot be prefetched.')
}
