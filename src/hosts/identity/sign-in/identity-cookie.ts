import type { IncomingHttpHeaders } from 'node:http'
import type { Identity } from '../core/identity.ts'
import { findLiveSession, type LiveSession, type StartedSession } from '../core/sessions.ts'

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
): Promise<LiveSession | undefined> {
  const sessionId = await readSessionId(identity, headers)
  return sessionId === undefined ? undefined : findLiveSession(identity, sessionId)
}

/**
 * The `__Host-` prefix prevents other hosts of the domain from setting the cookie. Browsers require HTTPS for it.
 */
const cookieName = ({ settings }: CookieSettings, name: string): string =>
  isSecure({ settings }) ? `__Host-${name}` : name

const isSecure = ({ settings }: CookieSettings): boolean => settings.issuer.startsWith('https:')

/**
 * Lax: the cookie is sent when the browser is redirected to authorize, but never with another site's posts.
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
