/** The configuration that the host serves before the first request. */
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
}

/** Limits a request that a page waits for, so that a connection that hangs does not block it. */
export const timeLimit = (): AbortSignal => AbortSignal.timeout(10_000)

export async function loadConfiguration(): Promise<Configuration> {
  const response = await fetch('/config.json', { cache: 'no-store', signal: timeLimit() })
  if (!response.ok) throw new Error(`The configuration could not be loaded (${response.status}).`)
  return response.json()
}
