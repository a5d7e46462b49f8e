import { errorOf, unreachableError } from './tracker-error.ts'

/**
 * An access token, or a function that returns one. The function is called before every request, and again
 * with a rejected token. If it then returns the same token, the error is thrown.
 */
export type TokenSource = string | ((rejected?: string) => string | Promise<string>)

export interface ClientCredentials {
  /** The address of the identity host, exactly as in its tokens. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** A scope such as `svc.api`; by default all scopes of the client. */
  readonly scope?: string
  readonly fetch?: typeof fetch
}

/** A token is not used in its last minute, because it could expire in flight. */
const expiryMarginSeconds = 60
const timeoutSeconds = 30

/**
 * Returns a token source for a service client. It caches each token until its last minute; concurrent calls share
 * one request.
 */
export function clientCredentials({
  issuer,
  clientId,
  clientSecret,
  scope,
  fetch: send = fetch,
}: ClientCredentials): (rejected?: string) => Promise<string> {
  let token: { readonly text: string; readonly endsAt: number } | undefined
  let pending: Promise<string> | undefined

  async function requestToken(): Promise<string> {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000)
    const discovery = await fetchJson(send, `${issuer}/.well-known/openid-configuration`, { signal })
    const { access_token: text, expires_in: seconds } = await fetchJson(
      send,
      String(discovery.token_endpoint),
      {
        method: 'POST',
        signal,
        headers: { authorization: `Basic ${btoa(`${encodeForm(clientId)}:${encodeForm(clientSecret)}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
      },
    )
    token = { text: String(text), endsAt: Date.now() + (Number(seconds) - expiryMarginSeconds) * 1000 }
    return token.text
  }

  return async (rejected) => {
    // Another request may have replaced the rejected token meanwhile.
    if (token && token.text !== rejected && Date.now() < token.endsAt) return token.text
    pending ??= requestToken().finally(() => {
      pending = undefined
    })
    return pending
  }
}

async function fetchJson(
  send: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<Record<string, unknown>> {
  const response = await send(url, init).catch((error) => {
    throw unreachableError(error)
  })
  if (!response.ok) throw await errorOf(response)
  return (await response.json()) as Record<string, unknown>
}

/** RFC 6749, 2.3.1: credentials are form-encoded. */
const encodeForm = (text: string): string => String(new URLSearchParams({ '': text })).slice(1)
