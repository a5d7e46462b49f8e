import type { RequestOrigin } from '../../../model/caller.ts'
import type { Identity } from '../identity.ts'
import { endStolenSession } from '../sessions.ts'

/** What is used twice has been stolen: the session ends, and with it everything issued in it. */
export async function endReplayed(
  identity: Identity,
  {
    sessionId: session,
    clientId: client,
    what: outcome,
  }: { readonly sessionId: string; readonly clientId: string; readonly what: 'code' | 'refresh token' },
  { address, requestId }: RequestOrigin,
): Promise<void> {
  const hasEnded = await endStolenSession(identity, session)
  identity.securityLog({ event: 'refresh-replayed', outcome, client, session, address, requestId })
  if (hasEnded)
    identity.securityLog({ event: 'session-ended', outcome: 'replay', client, session, address, requestId })
}
