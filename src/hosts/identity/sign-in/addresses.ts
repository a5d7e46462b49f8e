import type { IdentitySettings } from '../configuration.ts'

type PageSettings = Pick<IdentitySettings, 'allowedOrigins' | 'loginPageUrl'>

/** The sign-in page of the client that asked, or the first one when that is not known. */
export function signInPage(
  { allowedOrigins, loginPageUrl }: PageSettings,
  redirectUri: string | undefined,
  parameters: Readonly<Record<string, string>>,
): string {
  const asking = redirectUri === undefined ? undefined : new URL(redirectUri).origin
  const isAllowed = asking !== undefined && allowedOrigins.includes(asking)
  const page = isAllowed ? `${asking}/login/` : (loginPageUrl ?? `${allowedOrigins[0]}/login/`)
  return withParameters(page, parameters)
}

/** Another endpoint of this host, on the address by which the browser came: a second name would lose the cookie. */
export function onThisHost(
  { issuer }: Pick<IdentitySettings, 'issuer'>,
  path: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const prefix = new URL(issuer).pathname.replace(/\/$/, '')
  return `${prefix}${path}?${new URLSearchParams(parameters)}`
}

export function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
