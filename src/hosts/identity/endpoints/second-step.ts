import { sql } from '../../../store/sql.ts'
import type { Account } from '../accounts.ts'
import { openPendingRequest, type PendingRequest } from '../authorization/pending-request.ts'
import { findFactors } from '../factors/account-factors.ts'
import { useAppCode } from '../factors/authenticator-app.ts'
import { askForPasskey } from '../factors/passkey-challenge.ts'
import { findPasskey, type PasskeyAnswer } from '../factors/passkeys.ts'
import { useRecoveryCode } from '../factors/recovery-codes.ts'
import type { Identity } from '../identity.ts'
import { secondStepPage } from '../pages/second-step.ts'
import { overPage } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Answer, Call, Endpoint } from '../route.ts'
import { onThisHost, ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { attemptPasskey, attemptProof, type ProofOutcome } from '../sign-in/attempt-proof.ts'
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

/** Asks for the second factor, whichever page the password was typed on. */
export const askSecondFactor = (identity: Identity): Endpoint =>
  withStep(identity, 'second-factor', async ({ pending, authRequest, stepText, account }, call) => {
    const { error, retryAfter } = readSingle(call.parameters)
    const { passkeys } = identity.settings
    const factors = await findFactors(identity.database, account.accountId)
    const canUsePasskey = passkeys?.areForSignIn && factors.passkeys > 0
    return {
      page: secondStepPage({
        client: pending.request.client,
        ...{ authRequest, step: stepText, error, retryAfter },
        action: ownAddress(identity.settings, secondStepPath),
        hasApp: factors.appSince !== null,
        ...(canUsePasskey && { dialog: await askForPasskey(identity, passkeys.domain, account.accountId) }),
      }),
      language: pending.request.language,
    }
  })

export const answerSecondFactor = (identity: Identity): Endpoint =>
  withStep(identity, 'second-factor', async (begun, call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { pending, authRequest, stepText } = begun
    const { code = '', challenge = '', credential } = readSingle(call.parameters)
    const origin = await signInOriginOf(identity, call, pending)
    const outcome =
      credential === undefined
        ? await attemptCode(identity, begun, call, code)
        : await attemptOwnPasskey(identity, begun, call, { challenge, credential })
    if (outcome !== 'right') {
      const parameters = { authRequest, step: stepText, ...outcome }
      return { redirectTo: onThisHost(identity.settings, secondStepPath, parameters) }
    }
    const proved = { ...origin, ...provedBy(begun.step, credential === undefined ? 'otp' : 'pop') }
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

/** With an expired or used step, the browser goes back to the beginning of the sign-in. */
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

const attemptCode = (
  identity: Identity,
  begun: BegunSignIn,
  call: Call,
  code: string,
): Promise<ProofOutcome> =>
  attemptProof(identity, begun.account, begun.pending.request.clientId, call, {
    what: 'code',
    verify: () => useCode(identity, begun.account, begun.step, code),
  })

/** A factor of another account proves nothing here. */
async function attemptOwnPasskey(
  identity: Identity,
  { account, step, pending }: BegunSignIn,
  call: Call,
  answer: PasskeyAnswer,
): Promise<ProofOutcome> {
  const passkey = await findPasskey(identity.database, answer.credential)
  if (passkey?.accountId !== account.accountId) return { error: 'invalid' }
  const given = { ...answer, passkey, isAlone: false }
  const outcome = await attemptPasskey(identity, account, pending.request.clientId, call, given)
  if (outcome !== 'right') return outcome
  const isFirst = await identity.database.transaction((transaction) => spendStep(transaction, step))
  return isFirst ? 'right' : { error: 'invalid' }
}

/** A right code can be used once; using it also uses up the step. */
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
