import type { Account } from '../accounts.ts'
import type { Identity } from '../identity.ts'
import { type SignInOrigin, type StartedSession, startSession } from '../sessions.ts'

/** Starts and logs the session of a person who has proved everything; none if the account has changed in the meantime. */
export async function beginSession(
  identity: Identity,
  account: Account,
  origin: SignInOrigin,
  { requestId }: { readonly requestId: string },
): Promise<StartedSession | undefined> {
  const session = await startSession(identity, account, origin)
  const { clientId: client, address } = origin
  identity.securityLog({
    event: 'sign-in',
    outcome: session ? 'right' : 'wrong',
    account: account.accountId,
    ...{ client, session: session?.sessionId, provider: origin.outside?.provider, address, requestId },
  })
  for (const ended of session?.endedSessionIds ?? [])
    identity.securityLog({
      event: 'session-ended',
      outcome: 'another account',
      ...{ session: ended, address, requestId },
    })
  return session
}
