/** The configuration, which the web host serves as /config.json. */
export interface Configuration {
  readonly apiUrl: string
  readonly issuer: string
  readonly clientId: string
  /** True if the API serves `/ext/`. */
  readonly extensions: boolean
  /** True if the provider has a page for signing in with a passkey alone. */
  readonly passkeys: boolean
  /** True if mails can be sent, for new passwords and invitations. */
  readonly mail: boolean
  /** True if notifications are mailed. */
  readonly notificationMails: boolean
  /** The largest attachment, in MiB. */
  readonly fileMegabytes: number
}

/** Limits requests that a page waits for, so that a hanging connection does not block the page. */
export const requestTimeout = (): AbortSignal => AbortSignal.timeout(10_000)

export async function loadConfiguration(): Promise<Configuration> {
  const response = await fetch('/config.json', { cache: 'no-store', signal: requestTimeout() })
  if (!response.ok) throw new Error(`The configuration could not be loaded (${response.status}).`)
  return response.json()
}
