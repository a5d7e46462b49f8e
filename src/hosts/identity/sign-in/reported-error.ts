import type { Identity } from '../identity.ts'
import type { OAuthError } from '../oauth-error.ts'
import { signInPage } from './addresses.ts'

/** What `/api/account/error` tells about a request that could not be answered to its client. */
export interface ReportedError {
  readonly error: string
  readonly errorDescription: string
}

/** The page asks for it as soon as it is loaded. */
const reportedMilliseconds = 60 * 60_000

/** Sends the browser to the sign-in page, which can fetch what went wrong. */
export function reportError({ settings, seals, now }: Identity, { code, message }: OAuthError): string {
  const report: ReportedError = { error: code, errorDescription: message }
  return signInPage(settings, undefined, {
    errorId: seals.seal('errorId', report, now() + reportedMilliseconds),
  })
}
