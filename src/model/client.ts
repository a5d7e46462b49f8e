/** All scopes of clients that sign people in, in the order in which grants are written. */
export const clientScopes: readonly string[] = [
  'openid',
  'profile',
  'svc.api',
  'svc.grpc',
  'offline_access',
  'email',
]

/** These identify the user. All others give access, and have to be requested by name. */
export const clientScopesByDefault: readonly string[] = ['openid', 'profile', 'offline_access', 'email']

/** A longer name no longer looks like one on a page. */
export const clientNameCharactersMax = 100

/**
 * An app's scheme is a reversed domain (RFC 8252, 7.1), which excludes `javascript:` and `data:`. Browsers drop white space and
 * control characters, which would make it another address; a name before an `@` looks like the host.
 */
export const mayReturnTo = (address: string): boolean => {
  if (!URL.canParse(address) || /[#\s\p{Cc}]/u.test(address)) return false
  const { protocol, username, password } = new URL(address)
  return /^(https?|[a-z][a-z\d+-]*(\.[a-z\d+-]+)+):$/.test(protocol) && username === '' && password === ''
}

/** The web client of the contract, the only one that manages an account's own credentials. */
export const webClientId = 'svc-webclient'
