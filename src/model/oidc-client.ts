/** Every scope that an OpenID Connect client may request. Registrations store and show them in this order. */
export const clientScopes: readonly string[] = [
  'openid',
  'profile',
  'svc.api',
  'svc.grpc',
  'offline_access',
  'email',
]

/**
 * The scopes of a client that declares none. svc.api and svc.grpc must be declared, because they give access
 * to data.
 */
export const defaultClientScopes: readonly string[] = ['openid', 'profile', 'offline_access', 'email']

/** The sign-in and consent pages have room for a name of this length. */
export const clientNameCharactersMax = 100

/**
 * Returns whether this URL may receive redirects with codes and redirects after a sign-out.
 *
 * - A fragment is not allowed (RFC 6749, 3.1.2).
 *
 * - Browsers drop white space and control characters.
 *
 * - A user name could be mistaken for the host.
 *
 * - Plain http is allowed for native apps on a loopback port (RFC 8252, 7.3) and for test systems.
 *
 * - The scheme of an app must be a reversed domain (RFC 8252, 7.1). This excludes `javascript:` and `data:`.
 */
export const isValidRedirectUri = (url: string): boolean => {
  if (!URL.canParse(url) || /[#\s\p{Cc}]/u.test(url)) return false
  const { protocol, username, password } = new URL(url)
  return /^(https?|[a-z][a-z\d+-]*(\.[a-z\d+-]+)+):$/.test(protocol) && username === '' && password === ''
}

/** The web client. The API contract fixes its id, and only its sessions may manage credentials. */
export const webClientId = 'svc-webclient'
