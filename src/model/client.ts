/** All scopes of clients that sign people in, in the order in which registrations store and show them. */
export const clientScopes: readonly string[] = [
  'openid',
  'profile',
  'svc.api',
  'svc.grpc',
  'offline_access',
  'email',
]

/** The scopes of a client that declares none. Those that give access, svc.api and svc.grpc, have to be declared. */
export const defaultClientScopes: readonly string[] = ['openid', 'profile', 'offline_access', 'email']

/** A longer name would not fit the pages that show it. */
export const clientNameCharactersMax = 100

/**
 * An app's scheme must be a reversed domain (RFC 8252, 7.1), which excludes `javascript:` and `data:`. White space and control
 * characters are rejected because browsers drop them, which changes the address. A user name is rejected because it looks like
 * the host.
 */
export const isValidRedirectUri = (address: string): boolean => {
  if (!URL.canParse(address) || /[#\s\p{Cc}]/u.test(address)) return false
  const { protocol, username, password } = new URL(address)
  return /^(https?|[a-z][a-z\d+-]*(\.[a-z\d+-]+)+):$/.test(protocol) && username === '' && password === ''
}

/** The first-party web client, which the API contract names. Only its users manage their credentials. */
export const webClientId = 'svc-webclient'
