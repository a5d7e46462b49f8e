/** What the host of this page tells before the first request. */
export interface Configuration {
  readonly apiUrl: string
  readonly issuer: string
  readonly clientId: string
  /** Whether the interface serves `/ext/`. */
  readonly extensions: boolean
  /** Whether the provider has a page to sign in with a passkey alone. */
  readonly passkeys: boolean
  /** Whether mails can be sent, for new passwords and invitations. */
  readonly mail: boolean
}

export async function loadConfiguration(): Promise<Configuration> {
  const response = await fetch('/config.json', { cache: 'no-store' })
  if (!response.ok) throw new Error(`The configuration could not be loaded (${response.status}).`)
  return response.json()
}
