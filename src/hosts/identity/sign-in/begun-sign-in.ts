import { openPendingRequest, type PendingRequest } from '../authorization/pending-request.ts'
import type { Account } from '../core/accounts.ts'
import { onThisHost } from '../core/addresses.ts'
import { type Answer, type Call, type Handler, parseSingle } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { outdatedPage } from '../pages/sign-in.ts'
import { findStepAccount, openStep, type SignInStep } from './sign-in-step.ts'

/** A sign-in between its steps. */
export interface BegunSignIn {
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
    answer: (begun: BegunSignIn, call: Call) => Promise<Answer>,
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
