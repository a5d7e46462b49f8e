import type { ClientConfiguration } from './configuration.ts'

/** What the client's page may load and call: its own files, the interface and the provider; nothing else at all. */
export function contentPolicy({ apiUrl, issuer }: ClientConfiguration): string {
  const api = new URL(apiUrl).origin
  const provider = new URL(issuer).origin
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${api} ${provider}`,
    // Browsers apply it to the redirects after the sign-in post too.
    `form-action 'self' ${provider}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
