import { createHash, randomBytes } from 'node:crypto'
import type { AttemptResult } from '../../../accounts/lockouts.ts'
import { isAccountDeactivatedSql } from '../../../accounts/sign-in.ts'
import { sql } from '../../../db/sql.ts'
import { isLongerThan, passwordCharactersMax } from '../../../model/field-kinds.ts'
import { Problem } from '../../../model/problem.ts'
import { loginCharactersMax } from '../../../model/text.ts'
import { openPendingRequest, type PendingRequest } from '../authorization/authorization-request.ts'
import {
  type Call,
  type Handler,
  type HandlerResult,
  type Identity,
  singleParameters,
} from '../core/endpoint.ts'
import { hostPathWithQuery, secondStepPath, setUpPath } from '../core/redirects.ts'
import {
  type Account,
  accountColumns,
  type FederatedSignIn,
  findActiveAccount,
  type SignInSource,
} from '../core/sessions.ts'
import { findFactors, hasFactor, mustHaveFactor } from '../factors/account-factors.ts'
import { type PasskeyResponse, type StoredPasskey, usePasskey } from '../factors/passkeys.ts'
import { outdatedPage } from '../pages/page.ts'

/**
 * A sign-in whose first step has succeeded. It passes through the browser encrypted, so that the account
 * cannot be replaced, and is bound to the authorization request. Its property names must not change.
 */
export interface SignInStep {
  readonly id: string
  readonly kind: 'second-factor' | 'set-up'
  readonly accountId: string
  readonly securityStamp: string
  readonly expiresAt: number
  /** The digest of the sealed authorization request. */
  readonly request: string
  /** Present if the user was authenticated by an external provider instead of a password. */
  readonly federated?: FederatedSignIn | undefined
}

/** Long enough to install an app. */
const stepMilliseconds = 15 * 60_000

/** Returns the URL of the page on which the browser continues the sign-in. */
export function stepUrl(
  { settings, seals, now }: Identity,
  kind: SignInStep['kind'],
  { accountId, securityStamp }: Account,
  authRequest: string,
  federated?: FederatedSignIn,
): string {
  const expiresAt = now() + stepMilliseconds
  const step: SignInStep = {
    id: randomBytes(16).toString('base64url'),
    kind,
    accountId,
    securityStamp,
    expiresAt,
    request: digestOf(authRequest),
    federated,
  }
  const path = kind === 'set-up' ? setUpPath : secondStepPath
  return hostPathWithQuery(settings, path, { authRequest, step: seals.seal('signInStep', step, expiresAt) })
}

async function openStep(
  { seals }: Identity,
  kind: SignInStep['kind'],
  text: string | undefined,
  authRequest: string,
): Promise<SignInStep | undefined> {
  const step = text === undefined ? undefined : await seals.open<SignInStep>('signInStep', text)
  return step?.kind === kind && step.request === digestOf(authRequest) ? step : undefined
}

/** Finds the step's account, unless its password or login has changed since the first step. */
async function findStepAccount(
  { database }: Identity,
  { accountId, securityStamp }: SignInStep,
): Promise<Account | undefined> {
  const [account] = await database.query<Account>(sql`
    select ${accountColumns} from users as account
    where account.id = ${accountId} and account.security_stamp = ${securityStamp}
      and account.active and not ${isAccountDeactivatedSql}`)
  return account
}

/** Returns how the user was authenticated, for a session that begins after the step. */
export const authenticationAfter = (
  { federated }: SignInStep,
  method: 'otp' | 'pop',
): Pick<SignInSource, 'methods' | 'federated'> => ({
  methods: [...(federated ? [] : ['pwd']), method, 'mfa'],
  federated,
})

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/**
 * The next step of a sign-in. Without extensions there is no page for a second factor, so the sign-in of an
 * account with a second factor is rejected.
 */
type NextStep = 'session' | 'second-factor' | 'set-up' | 'rejected'

export async function nextStepOf(identity: Identity, account: Account): Promise<NextStep> {
  if (hasFactor(await findFactors(identity.database, account.accountId)))
    return identity.settings.extensions ? 'second-factor' : 'rejected'
  return mustHaveFactor(identity, account) ? 'set-up' : 'session'
}

/**
 * A sign-in between its first step and the session. `authRequest` and `stepText` are the sealed forms of `pending`
 * and `step`.
 */
export interface PendingSignIn {
  readonly pending: PendingRequest
  readonly authRequest: string
  readonly step: SignInStep
  readonly stepText: string
  readonly account: Account
}

/**
 * Creates a handler for a step. If the step has expired, the browser returns to the beginning of the sign-in.
 */
export const withStep =
  (
    identity: Identity,
    kind: SignInStep['kind'],
    handle: (signIn: PendingSignIn, call: Call) => Promise<HandlerResult>,
  ): Handler =>
  async (call) => {
    const { authRequest, step: stepText } = singleParameters(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: outdatedPage }
    const step = await openStep(identity, kind, stepText, authRequest)
    const account = step && (await findStepAccount(identity, step))
    if (stepText === undefined || !step || !account)
      return { redirectTo: hostPathWithQuery(identity.settings, '/connect/authorize', { authRequest }) }
    return handle({ pending, authRequest, step, stepText, account }, call)
  }

interface Verification {
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
  const verify = async (): Promise<AttemptResult> => {
    const candidate = await findActiveAccount(database, login)
    account = candidate
    const isCorrect = candidate
      ? await passwords.verify(candidate.passwordHash, credentials.password)
      : await passwords.verifyForUnknownLogin(credentials.password)
    if (!candidate || !isCorrect) return 'failed'
    next = await nextStepOf(identity, candidate)
    return next === 'session' ? 'passed' : 'first step passed'
  }
  await lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () => onLocked(account))
  return { account, next }
}

/**
 * Returns the login as the store compares logins, because another spelling of it must not get five more
 * attempts.
 */
async function lockoutSubject(database: Identity['database'], login: string): Promise<string> {
  const [row] = await database.query<{ subject: string }>(sql`select lower(trim(${login})) as subject`)
  return row?.subject ?? login
}

export type AuthenticationOutcome = 'success' | { readonly error: string; readonly retryAfter?: string }

/**
 * Authenticates with a code or a passkey. A failure counts like a wrong password of the login. A success
 * resets the count.
 */
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
    const hasPassed = await identity.lockouts.guardAttempt(
      { purpose: 'sign-in', subject },
      async () => ((await verify()) ? 'passed' : 'failed'),
      () => record('lockout-begun', 'sign-in'),
    )
    if (hasPassed) return 'success'
    record('sign-in', `wrong ${factor}`)
    return { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    record('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

/**
 * Authenticates with a passkey, alone or after the password. The challenge can be used only once, even if the
 * response to it is wrong.
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
      if (use !== 'valid') return false
      await identity.database.singleWrites.query(
        sql`update authenticator_apps set failures = 0 where user_id = ${account.accountId}`,
      )
      return true
    },
  })
