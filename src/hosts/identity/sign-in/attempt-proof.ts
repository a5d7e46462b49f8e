import { Problem } from '../../../model/problem.ts'
import { sql } from '../../../store/sql.ts'
import type { Account } from '../accounts.ts'
import { type PasskeyAnswer, type StoredPasskey, usePasskey } from '../factors/passkeys.ts'
import type { Identity } from '../identity.ts'
import type { Call } from '../route.ts'
import { lockedSubject } from './verify-credentials.ts'

export type ProofOutcome = 'right' | { readonly error: string; readonly retryAfter?: string }

/** Checks a proof other than a password. A wrong one counts as a wrong password of the login; a right one clears the count. */
export async function attemptProof(
  identity: Identity,
  { accountId: account, login }: Account,
  client: string,
  { address, requestId }: Call,
  { what, verify }: { readonly what: 'code' | 'passkey'; verify(): Promise<boolean> },
): Promise<ProofOutcome> {
  const note = (event: 'sign-in' | 'lockout-begun', outcome: string) =>
    identity.securityLog({ event, outcome, account, client, address, requestId })
  try {
    const subject = await lockedSubject(identity.database, login)
    const isRight = await identity.lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () =>
      note('lockout-begun', 'sign-in'),
    )
    if (isRight) return 'right'
    note('sign-in', `wrong ${what}`)
    return { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    note('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

/** Alone, or after the password. The challenge can be used once, even if the answer to it is wrong. */
export const attemptPasskey = (
  identity: Identity,
  account: Account,
  client: string,
  call: Call,
  { passkey, ...answer }: PasskeyAnswer & { readonly isAlone: boolean; readonly passkey: StoredPasskey },
): Promise<ProofOutcome> =>
  attemptProof(identity, account, client, call, {
    what: 'passkey',
    async verify() {
      const use = await identity.database.transaction((transaction) =>
        usePasskey(identity, transaction, passkey, answer),
      )
      const { address, requestId } = call
      if (use === 'copied')
        identity.securityLog({
          event: 'passkey-copied',
          account: account.accountId,
          ...{ client, address, requestId },
        })
      if (use !== 'right') return false
      await identity.database.single.query(
        sql`update authenticator_apps set failures = 0 where user_id = ${account.accountId}`,
      )
      return true
    },
  })
