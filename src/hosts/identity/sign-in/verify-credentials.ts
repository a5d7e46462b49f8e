import { sql } from '../../../db/sql.ts'
import { isLongerThan } from '../../../model/field-kinds.ts'
import { passwordCharactersMax } from '../../../model/password-policy.ts'
import { Problem } from '../../../model/problem.ts'
import { loginCharactersMax } from '../../../model/text.ts'
import { type Account, findActiveAccount } from '../core/accounts.ts'
import type { Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { type PasskeyAnswer, type StoredPasskey, usePasskey } from '../factors/passkeys.ts'
import { type NextStep, nextStepOf } from './sign-in-step.ts'

export interface Verification {
  /** The active account with this login. */
  readonly account: Account | undefined
  /** Undefined after a wrong password. */
  readonly next: NextStep | undefined
}

/** An unknown login, an ambiguous one and a wrong password get the same response after the same time. */
export async function verifyCredentials(
  identity: Identity,
  given: { readonly login: string; readonly password: string },
  onLocked: (account: Account | undefined) => void,
): Promise<Verification> {
  const { database, passwords, lockouts } = identity
  const login = given.login.trim()
  let account: Account | undefined
  let next: NextStep | undefined
  if (isLongerThan(login, loginCharactersMax) || isLongerThan(given.password, passwordCharactersMax))
    return { account, next }
  const subject = await lockedSubject(database, login)
  const verify = async () => {
    const found = await findActiveAccount(database, login)
    account = found
    if (!found) return passwords.verifyAbsent(given.password)
    if (!(await passwords.verify(found.passwordHash, given.password))) return false
    next = await nextStepOf(identity, found)
    return next === 'session' || 'right so far'
  }
  await lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () => onLocked(account))
  return { account, next }
}

/**
 * Lower-cased, as the store compares logins: another spelling of the same login must not get five more
 * attempts.
 */
async function lockedSubject(database: Identity['database'], login: string): Promise<string> {
  const [row] = await database.query<{ subject: string }>(sql`select lower(trim(${login})) as subject`)
  return row?.subject ?? login
}

export type AuthenticationOutcome = 'right' | { readonly error: string; readonly retryAfter?: string }

/** Authenticates by other means than a password. A failure counts as a wrong password of the login; a success clears the count. */
export async function attemptAuthentication(
  identity: Identity,
  { accountId: account, login }: Account,
  client: string,
  { address, requestId }: Call,
  { what, verify }: { readonly what: 'code' | 'passkey'; verify(): Promise<boolean> },
): Promise<AuthenticationOutcome> {
  const record = (event: 'sign-in' | 'lockout-begun', outcome: string) =>
    identity.securityLog({ event, outcome, account, client, address, requestId })
  try {
    const subject = await lockedSubject(identity.database, login)
    const isRight = await identity.lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () =>
      record('lockout-begun', 'sign-in'),
    )
    if (isRight) return 'right'
    record('sign-in', `wrong ${what}`)
    return { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    record('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

/**
 * Used alone or after the password. The challenge can be used only once, even if the response to it is wrong.
 */
export const attemptPasskey = (
  identity: Identity,
  account: Account,
  client: string,
  call: Call,
  { passkey, ...answer }: PasskeyAnswer & { readonly isAlone: boolean; readonly passkey: StoredPasskey },
): Promise<AuthenticationOutcome> =>
  attemptAuthentication(identity, account, client, call, {
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
