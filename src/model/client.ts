/** Every scope there is for clients that sign people in, in the order in which grants are written. */
export const clientScopes: readonly string[] = [
  'openid',
  'profile',
  'svc.api',
  'svc.grpc',
  'offline_access',
  'email',
]

/** What tells who somebody is; whatever acts for them is given by name only. */
export const clientScopesByDefault: readonly string[] = ['openid', 'profile', 'offline_access', 'email']

/** The longest name that still looks like one on a page. */
export const clientNameCharactersMax = 100

/**
 * An app's scheme is a domain turned around (RFC 8252, 7.1): so no `javascript:` and no `data:` gets in. Browsers leave out white
 * space and control characters, so that the address would be another one; a name before an `@` looks like the place.
 */
export const mayReturnTo = (address: string): boolean => {
  if (!URL.canParse(address) || /[#\s\p{Cc}]/u.test(address)) return false
  const { protocol, username, password } = new URL(address)
  return /^(https?|[a-z][a-z\d+-]*(\.[a-z\d+-]+)+):$/.test(protocol) && username === '' && password === ''
}

/** The client of the contract, in which people do what is theirs alone. */
export const webClientId = 'svc-webclient'
