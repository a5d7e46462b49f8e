import { createHash, randomBytes } from 'node:crypto'
import { isDeactivated } from '../../../accounts/deactivation.ts'
import { sql } from '../../../db/sql.ts'
import { openPendingRequest, type PendingRequest } from '../authorization/pending-request.ts'
import { type Account, accountColumns } from '../core/accounts.ts'
import { onThisHost, secondStepPath, setUpPath } from '../core/addresses.ts'
import { type Answer, type Call, type Handler, parseSingle } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import type { FederatedSignIn } from '../core/sessions.ts'
import { findFactors, hasFactor, mustHaveFactor } from '../factors/account-factors.ts'
import { outdatedPage } from '../pages/sign-in.ts'

/**
 * A sign-in whose password was correct and that needs another step. It is sealed: the account cannot be
 * swapped in between, and the step is bound to the authorization request.
 */
export interface SignInStep {
  readonly id: string
  readonly kind: 'second-factor' | 'set-up'
  readonly accountId: string
  readonly securityStamp: string
  readonly expiresAt: number
  readonly request: string
  /** Present if the sign-in began at an external provider instead of with a password. */
  readonly outside?: FederatedSignIn | undefined
}

/** Long enough to install an app. */
const stepMilliseconds = 15 * 60_000

/** Returns the page on which the browser continues the sign-in. */
export function askForStep(
  { settings, seals, now }: Identity,
  kind: SignInStep['kind'],
  { accountId, securityStamp }: Account,
  authRequest: string,
  outside?: FederatedSignIn,
): string {
  const expiresAt = now() + stepMilliseconds
  const step: SignInStep = {
    id: randomBytes(16).toString('base64url'),
    ...{ kind, accountId, securityStamp, expiresAt },
    request: digestOf(authRequest),
    outside,
  }
  const path = kind === 'set-up' ? setUpPath : secondStepPath
  return onThisHost(settings, path, { authRequest, step: seals.seal('signInStep', step, expiresAt) })
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

/** Returns the current account, unless its password or login has changed since the first step. */
async function findStepAccount(
  { database }: Identity,
  { accountId, securityStamp }: SignInStep,
): Promise<Account | undefined> {
  const [account] = await database.query<Account>(sql`
    select ${accountColumns} from users as account
    where account.id = ${accountId} and account.security_stamp = ${securityStamp}
      and account.active and not ${isDeactivated}`)
  return account
}

/** Returns the authentication methods of a session that begins after the step. */
export const authenticatedBy = ({ outside }: SignInStep, by: 'otp' | 'pop') => ({
  methods: [...(outside ? [] : ['pwd']), by, 'mfa'],
  outside,
})

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/**
 * The step after a correct password: the session, a second factor, or setting one up. Without the extensions
 * there is no page for a second factor. An account that has one must not become less secure, so its sign-in
 * is rejected.
 */
export type NextStep = 'session' | 'second-factor' | 'set-up' | 'rejected'

export async function nextStepOf(identity: Identity, account: Account): Promise<NextStep> {
  if (hasFactor(await findFactors(identity.database, account.accountId)))
    return identity.settings.extensions ? 'second-factor' : 'rejected'
  return mustHaveFactor(identity, account) ? 'set-up' : 'session'
}

/** A sign-in between its steps. */
export interface PendingSignIn {
  readonly pending: PendingRequest
  readonly authRequest: string
  readonly step: SignInStep
  readonly stepText: string
  readonly account: Account
}

/** If the step has expired or was used, the browser returns to the beginning of the sign-in. */
export const withStep =
  (
    identity: Identity,
    kind: SignInStep['kind'],
    answer: (begun: PendingSignIn, call: Call) => Promise<Answer>,
  ): Handler =>
  async (call) => {
    const { authRequest, step: stepText } = parseSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: outdatedPage }
    const step = await openStep(identity, kind, stepText, authRequest)
    const account = step && (await findStepAccount(identity, step))
    if (stepText === undefined || !step || !account)
      return { redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }) }
    return answer({ pending, authRequest, step, stepText, account }, call)
  }
