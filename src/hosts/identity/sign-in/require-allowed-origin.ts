import type { IncomingHttpHeaders } from 'node:http'
import { forbidden } from '../../../model/problem.ts'

/** Only a client's own page may post a sign-in; any other could sign a visitor in to an account of its choice, or out. */
export function requireAllowedOrigin(
  allowedOrigins: readonly string[],
  { origin, referer }: IncomingHttpHeaders,
  what = 'The sign-in',
): void {
  const sender = origin ?? originOf(referer)
  if (sender === undefined || !allowedOrigins.includes(sender))
    throw forbidden(`${what} must come from an allowed origin.`)
}

const originOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined
