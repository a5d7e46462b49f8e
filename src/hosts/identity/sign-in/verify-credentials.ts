import { sql } from '../../../db/sql.ts'
import { isLongerThan, passwordCharactersMax } from '../../../model/field-kinds.ts'
import { Problem } from '../../../model/problem.ts'
import { loginCharactersMax } from '../../../model/text.ts'
import { type Account, findActiveAccount } from '../core/accounts.ts'
import type { Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { type PasskeyResponse, type StoredPasskey, usePasskey } from '../factors/passkeys.ts'
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
  credentials: { readonly login: string; readonly password: string },
  onLocked: (account: Account | undefined) => void,
): Promise<Verification> {
  const { database, passwords, lockouts } = identity
  const login = credentials.login.trim()
  let account: Account | undefined
  let next: NextStep | undefined
  if (isLongerThan(login, loginCharactersMax) || isLongerThan(credentials.password, passwordCharactersMax))
    return { account, next }
  const subject = await lockoutSubject(database, login)
  const verify = async () => {
    const found = await findActiveAccount(database, login)
    account = found
    if (!found) return passwords.verifyAbsent(credentials.password)
    if (!(await passwords.verify(found.passwordHash, credentials.password))) return false
    next = await nextStepOf(identity, found)
    return next === 'session' || 'first step passed'
  }
  await lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () => onLocked(account))
  return { account, next }
}

/**
 * Returns the login as the store compares logins, because another spelling of it must not get five more attempts.
 */
async function lockoutSubject(database: Identity['database'], login: string): Promise<string> {
  const [row] = await database.query<{ subject: string }>(sql`select lower(trim(${login})) as subject`)
  return row?.subject ?? login
}

export type AuthenticationOutcome = 'right' | { readonly error: string; readonly retryAfter?: string }

/** Authenticates with a code or a passkey. A failure counts like a wrong password of the login; a success resets the count. */
export async function attemptAuthentication(
  identity: Identity,
  { accountId: account, login }: Account,
  client: string,
  { address, requestId }: Call,
  { factor, verify }: { readonly factor: 'code' | 'passkey'; verify(): Promise<boolean> },
): Promise<AuthenticationOutcome> {
  const record = (event: 'sign-in' | 'lockout-begun', outcome: string) =>
    identity.securityLog({ event, outcome, account, client, address, requestId })
  try {
    const subject = await lockoutSubject(identity.database, login)
    const isRight = await identity.lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () =>
      record('lockout-begun', 'sign-in'),
    )
    if (isRight) return 'right'
    record('sign-in', `wrong ${factor}`)
    return { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    record('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

/**
 * Authenticates with a passkey, alone or after the password. The challenge can be used only once, even if the response
 * to it is wrong.
 */
export const attemptPasskey = (
  identity: Identity,
  account: Account,
  client: string,
  call: Call,
  {
    passkey,
    ...response
  }: PasskeyResponse & { readonly isSoleFactor: boolean; readonly passkey: StoredPasskey },
): Promise<AuthenticationOutcome> =>
  attemptAuthentication(identity, account, client, call, {
    factor: 'passkey',
    async verify() {
      const use = await identity.database.transaction((transaction) =>
        usePasskey(identity, transaction, passkey, response),
      )
      const { address, requestId } = call
      if (use === 'copied')
        identity.securityLog({
          event: 'passkey-copied',
          account: account.accountId,
          client,
          address,
          requestId,
        })
      if (use !== 'right') return false
      await identity.database.singleWrites.query(
        sql`update authenticator_apps set failures = 0 where user_id = ${account.accountId}`,
      )
      return true
    },
  })
