import { Problem } from '../../../model/problem.ts'
import { sql } from '../../../store/sql.ts'
import type { Account } from '../accounts.ts'
import { openPendingRequest, type PendingRequest } from '../authorization/pending-request.ts'
import { useAppCode } from '../factors/authenticator-app.ts'
import { useRecoveryCode } from '../factors/recovery-codes.ts'
import type { Identity } from '../identity.ts'
import { secondStepPage } from '../pages/second-step.ts'
import { overPage } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Answer, Call, Endpoint } from '../route.ts'
import { onThisHost, ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'
import { signInOriginOf } from '../sign-in/sign-in-origin.ts'
import {
  findStepAccount,
  openStep,
  provedBy,
  type SignInStep,
  secondStepPath,
  spendStep,
} from '../sign-in/sign-in-step.ts'
import { lockedSubject } from '../sign-in/verify-credentials.ts'

/** Asks for the second factor, whichever page the password was typed on. */
export const askSecondFactor = (identity: Identity): Endpoint =>
  withStep(identity, 'second-factor', async ({ pending, authRequest, stepText }, call) => {
    const { error, retryAfter } = readSingle(call.parameters)
    return {
      page: secondStepPage({
        client: pending.request.client,
        ...{ authRequest, step: stepText, error, retryAfter },
        action: ownAddress(identity.settings, secondStepPath),
      }),
    }
  })

export const answerSecondFactor = (identity: Identity): Endpoint =>
  withStep(identity, 'second-factor', async (begun, call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { pending, authRequest, stepText } = begun
    const origin = await signInOriginOf(identity, call, pending)
    const outcome = await attemptCode(identity, begun, call)
    if (outcome !== 'right') {
      const parameters = { authRequest, step: stepText, ...outcome }
      return { redirectTo: onThisHost(identity.settings, secondStepPath, parameters) }
    }
    const proved = { ...origin, ...provedBy(begun.step) }
    const session = await beginSession(identity, begun.account, proved, call)
    return {
      redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
      cookie: session && identityCookie(identity, session),
    }
  })

/** A sign-in between its steps. */
export interface BegunSignIn {
  readonly pending: PendingRequest
  readonly authRequest: string
  readonly step: SignInStep
  readonly stepText: string
  readonly account: Account
}

/** A step that is over leads back to the first one. */
export const withStep =
  (
    identity: Identity,
    kind: SignInStep['kind'],
    answer: (begun: BegunSignIn, call: Call) => Promise<Answer>,
  ): Endpoint =>
  async (call) => {
    const { authRequest, step: stepText } = readSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: overPage }
    const step = await openStep(identity, kind, stepText, authRequest)
    const account = step && (await findStepAccount(identity, step))
    if (stepText === undefined || !step || !account)
      return { redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }) }
    return answer({ pending, authRequest, step, stepText, account }, call)
  }

type Refused = { readonly error: string; readonly retryAfter?: string }

/** Counted with the wrong passwords of the same login; only all steps together clear them. */
async function attemptCode(
  identity: Identity,
  { account, step, pending }: BegunSignIn,
  { parameters, address, requestId }: Call,
): Promise<'right' | Refused> {
  const { code = '' } = readSingle(parameters)
  const note = (event: 'sign-in' | 'lockout-begun', outcome: string) =>
    identity.securityLog({
      event,
      outcome,
      account: account.accountId,
      ...{ client: pending.request.clientId, address, requestId },
    })
  try {
    const subject = await lockedSubject(identity.database, account.login)
    const isRight = await identity.lockouts.guardAttempt(
      { purpose: 'sign-in', subject },
      () => useCode(identity, account, step, code),
      () => note('lockout-begun', 'sign-in'),
    )
    if (isRight) return 'right'
    note('sign-in', 'wrong code')
    return { error: 'invalid' }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'locked')) throw error
    note('sign-in', 'locked')
    return { error: 'locked', retryAfter: String(error.retryAfterSeconds) }
  }
}

/** A code is used up by being right, and the step with it. */
const useCode = (
  identity: Identity,
  { accountId }: Account,
  step: SignInStep,
  code: string,
): Promise<boolean> =>
  identity.database.transaction(async (transaction) => {
    const given = code.trim()
    if (await useAppCode(identity, transaction, accountId, given.replaceAll(' ', '')))
      return spendStep(transaction, step)
    if (!(await useRecoveryCode(transaction, accountId, given))) return false
    await transaction.query(sql`update authenticator_apps set failures = 0 where user_id = ${accountId}`)
    return spendStep(transaction, step)
  })
