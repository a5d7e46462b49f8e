import { findFactors, hasFactor } from '../factors/account-factors.ts'
import { afterChange } from '../factors/after-change.ts'
import { acceptApp, offerApp } from '../factors/authenticator-app.ts'
import { lockFactors } from '../factors/lock-factors.ts'
import { askForNewPasskey } from '../factors/passkey-challenge.ts'
import { acceptPasskey } from '../factors/passkeys.ts'
import { makeRecoveryCodes } from '../factors/recovery-codes.ts'
import type { Identity } from '../identity.ts'
import { recoveryCodesPage, setUpPage } from '../pages/set-up.ts'
import type { PlainText } from '../pages/texts/say.ts'
import { type Parameters, readSingle } from '../parameters.ts'
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
  withStep(identity, 'set-up', (begun) => showSetUp(identity, begun, undefined))

export const answerSetUp = (identity: Identity): Endpoint =>
  withStep(identity, 'set-up', async (begun, call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const given = readSingle(call.parameters)
    const isPasskey = given.credential !== undefined
    const made = await setUp(identity, begun, given)
    if (made === 'wrong') return showSetUp(identity, begun, isPasskey ? passkeyProblem : codeProblem)
    const { authRequest, account, pending, step } = begun
    const goOn = onThisHost(identity.settings, '/connect/authorize', { authRequest })
    if (made === 'over') return { redirectTo: goOn }
    const { address, requestId } = call
    identity.securityLog({
      event: 'factor-changed',
      outcome: isPasskey ? 'passkey added' : 'app set up',
      ...{ account: account.accountId, by: account.accountId, client: pending.request.clientId },
      ...{ address, requestId },
    })
    const origin = await signInOriginOf(identity, call, pending)
    const proved = { ...origin, ...provedBy(step, isPasskey ? 'pop' : 'otp') }
    // This very change is the newest one.
    const changed = { ...account, factorChanges: account.factorChanges + 1 }
    const session = await beginSession(identity, changed, proved, call)
    return {
      page: recoveryCodesPage(made, goOn),
      language: pending.request.language,
      cookie: session && identityCookie(identity, session),
    }
  })

const codeProblem = 'This code is wrong. The picture is a new one: scan it again.'
const passkeyProblem = 'The passkey could not be kept. Try again.'

/** Only while there is none: somebody else who knows the password must not replace it. */
const setUp = (
  identity: Identity,
  { account: { accountId }, step }: BegunSignIn,
  { offer = '', code = '', challenge = '', credential }: Parameters,
): Promise<readonly string[] | 'wrong' | 'over'> =>
  identity.database.transaction(async (transaction) => {
    await lockFactors(transaction, accountId)
    if (hasFactor(await findFactors(transaction, accountId))) return 'over'
    const isKept =
      credential === undefined
        ? await acceptApp(identity, transaction, accountId, { offer, code: code.replaceAll(/\s/g, '') })
        : await acceptPasskey(identity, transaction, accountId, { challenge, credential, name: 'Passkey' })
    if (!isKept) return 'wrong'
    if (!(await spendStep(transaction, step))) return 'over'
    await afterChange(identity, transaction, accountId)
    return makeRecoveryCodes(transaction, accountId)
  })

const showSetUp = async (
  identity: Identity,
  { pending, authRequest, stepText, account }: BegunSignIn,
  problem: PlainText | undefined,
): Promise<Answer> => {
  const { passkeys } = identity.settings
  return {
    page: setUpPage({
      client: pending.request.client,
      ...{ authRequest, step: stepText, problem },
      offer: offerApp(identity, account),
      action: ownAddress(identity.settings, setUpPath),
      ...(passkeys?.areForSignIn && {
        dialog: await askForNewPasskey(identity, account, passkeys.domain),
      }),
    }),
    language: pending.request.language,
  }
}
