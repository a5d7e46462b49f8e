import { acceptedLanguage } from '../../../model/language.ts'
import type { PendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import type { Call } from '../route.ts'
import type { SignInOrigin } from '../sessions.ts'
import { readSessionId } from './identity-cookie.ts'

/** No browser sends a longer one. */
const userAgentCharactersMax = 256

/** A post from a page of another site comes without the cookie, so the session the browser had was noted when it asked. */
export async function signInOriginOf(
  identity: Identity,
  { headers, address }: Call,
  { request, sessionId: noted }: PendingRequest,
): Promise<SignInOrigin> {
  const inCookie = await readSessionId(identity, headers)
  // Programs accept any.
  const { 'accept-language': ranges = '*' } = headers
  const accepted = ranges === '*' ? undefined : acceptedLanguage(ranges)
  return {
    clientId: request.clientId,
    address,
    userAgent: headers['user-agent']?.slice(0, userAgentCharactersMax),
    earlierSessionIds: [inCookie, noted].filter((id) => id !== undefined),
    language: request.language ?? accepted,
  }
}
