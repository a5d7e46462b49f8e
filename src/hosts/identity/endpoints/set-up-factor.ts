import { findFactors, hasFactor } from '../factors/account-factors.ts'
import { acceptApp, offerApp } from '../factors/authenticator-app.ts'
import { lockFactors } from '../factors/lock-factors.ts'
import { makeRecoveryCodes } from '../factors/recovery-codes.ts'
import type { Identity } from '../identity.ts'
import { recoveryCodesPage, setUpPage } from '../pages/set-up.ts'
import { readSingle } from '../parameters.ts'
import type { Answer, Endpoint } from '../route.ts'
import { onThisHost, ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'
import { signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { provedBy, setUpPath, spendStep } from '../sign-in/sign-in-step.ts'
import { type BegunSignIn, withStep } from './second-step.ts'

/** Who must have a second factor and has none sets one up before anything else. */
export const askToSetUp = (identity: Identity): Endpoint =>
  withStep(identity, 'set-up', async (begun) => showSetUp(identity, begun, undefined))

export const answerSetUp = (identity: Identity): Endpoint =>
  withStep(identity, 'set-up', async (begun, call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { offer = '', code = '' } = readSingle(call.parameters)
    const made = await setUpApp(identity, begun, { offer, code: code.replaceAll(/\s/g, '') })
    if (made === 'wrong')
      return showSetUp(identity, begun, 'This code is wrong. The picture is a new one: scan it again.')
    const { authRequest, account, pending, step } = begun
    const goOn = onThisHost(identity.settings, '/connect/authorize', { authRequest })
    if (made === 'over') return { redirectTo: goOn }
    const { address, requestId } = call
    const client = pending.request.clientId
    identity.securityLog({
      event: 'factor-changed',
      outcome: 'app set up',
      ...{ account: account.accountId, by: account.accountId, client, address, requestId },
    })
    const origin = { ...(await signInOriginOf(identity, call, pending)), ...provedBy(step) }
    const session = await beginSession(identity, account, origin, call)
    return { page: recoveryCodesPage(made, goOn), cookie: session && identityCookie(identity, session) }
  })

/** Only while there is none: whoever else knows the password must not put another one in its place. */
const setUpApp = (
  identity: Identity,
  { account: { accountId }, step }: BegunSignIn,
  given: { readonly offer: string; readonly code: string },
): Promise<readonly string[] | 'wrong' | 'over'> =>
  identity.database.transaction(async (transaction) => {
    await lockFactors(transaction, accountId)
    if (hasFactor(await findFactors(transaction, accountId))) return 'over'
    if (!(await acceptApp(identity, transaction, accountId, given))) return 'wrong'
    if (!(await spendStep(transaction, step))) return 'over'
    return makeRecoveryCodes(transaction, accountId)
  })

const showSetUp = (
  identity: Identity,
  { pending, authRequest, stepText, account }: BegunSignIn,
  problem: string | undefined,
): Answer => ({
  page: setUpPage({
    client: pending.request.client,
    ...{ authRequest, step: stepText, problem },
    offer: offerApp(identity, account),
    action: ownAddress(identity.settings, setUpPath),
  }),
})
