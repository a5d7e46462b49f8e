import { errorOf, unreachable } from './tracker-error.ts'

/**
 * An access token, or how to get one. A function is asked before every request, and once more with the token that was
 * rejected; when it has no other one then, the error is thrown.
 */
export type TokenSource = string | ((rejected?: string) => string | Promise<string>)

export interface ClientCredentials {
  /** The address of the identity host, as its tokens name it. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** A scope such as `svc.api`; by default every scope of the client. */
  readonly scope?: string
  readonly fetch?: typeof fetch
}

/** No token is used in its last minute: it could expire in flight. */
const lastSeconds = 60
const secondsMax = 30

/** Tokens of a service client: requested when needed, kept until they expire, and requested once however many calls wait. */
export function clientCredentials({
  issuer,
  clientId,
  clientSecret,
  scope,
  fetch: send = fetch,
}: ClientCredentials): (rejected?: string) => Promise<string> {
  let token: { readonly text: string; readonly endsAt: number } | undefined
  let asking: Promise<string> | undefined

  async function ask(): Promise<string> {
    const signal = AbortSignal.timeout(secondsMax * 1000)
    const discovery = await read(send, `${issuer}/.well-known/openid-configuration`, { signal })
    const { access_token: text, expires_in: seconds } = await read(send, String(discovery.token_endpoint), {
      method: 'POST',
      signal,
      headers: { authorization: `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
    })
    token = { text: String(text), endsAt: Date.now() + (Number(seconds) - lastSeconds) * 1000 }
    return token.text
  }

  return async (rejected) => {
    // Another request may have replaced the rejected token meanwhile.
    if (token && token.text !== rejected && Date.now() < token.endsAt) return token.text
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}

async function read(send: typeof fetch, url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const response = await send(url, init).catch((error) => {
    throw unreachable(error)
  })
  if (!response.ok) throw await errorOf(response)
  return (await response.json()) as Record<string, unknown>
}

/** RFC 6749, 2.3.1. */
const formEncoded = (text: string): string => String(new URLSearchParams({ '': text })).slice(1)
