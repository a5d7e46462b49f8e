import { sql } from '../../../db/sql.ts'
import type { Account } from '../core/accounts.ts'
import { onThisHost, ownAddress, ownOrigin, secondStepPath } from '../core/addresses.ts'
import {
  authRequestParameter,
  outcomeParameters,
  pageOperation,
  postedForm,
  secondFactorParameters,
  stepParameter,
} from '../core/describe.ts'
import { type Call, type Endpoint, parseSingle } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { findFactors, spendStep } from '../factors/account-factors.ts'
import { useAppCode } from '../factors/authenticator-app.ts'
import { askForPasskey, type PasskeyDialog } from '../factors/passkey-challenge.ts'
import { findPasskey, type PasskeyAnswer } from '../factors/passkeys.ts'
import { useRecoveryCode } from '../factors/recovery-codes.ts'
import { type Html, html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import { passkeyForm, passkeyScriptPath } from '../pages/scripts.ts'
import { lockedText } from '../pages/sign-in.ts'
import type { Say } from '../pages/texts.ts'
import { beginSession } from '../sign-in/browser-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin, signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { authenticatedBy, type PendingSignIn, type SignInStep, withStep } from '../sign-in/sign-in-step.ts'
import {
  type AuthenticationOutcome,
  attemptAuthentication,
  attemptPasskey,
} from '../sign-in/verify-credentials.ts'
import { addressesOf, type Client } from '../values/clients.ts'

export const askSecondFactor: Endpoint = {
  ...pageOperation,
  id: 'ShowSecondStep',
  summary: 'Asks for the second factor after a correct password.',
  description: 'This host redirects browsers here, whichever page the password was entered on.',
  path: secondStepPath,
  parameters: [authRequestParameter, stepParameter, ...outcomeParameters],
  page: 'The page.',
  handler: (identity) =>
    withStep(identity, 'second-factor', async ({ pending, authRequest, stepText, account }, call) => {
      const { error, retryAfter } = parseSingle(call.parameters)
      const { passkeys } = identity.settings
      const factors = await findFactors(identity.database, account.accountId)
      const canUsePasskey = passkeys?.includeIdentityHost && factors.passkeys > 0
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
    }),
}

export const answerSecondFactor: Endpoint = {
  ...postedForm,
  id: 'AnswerSecondStep',
  summary: 'Processes a code, a recovery code or the response of a passkey.',
  path: secondStepPath,
  parameters: [authRequestParameter, stepParameter, ...secondFactorParameters],
  handler: (identity) =>
    withStep(identity, 'second-factor', async (begun, call) => {
      requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
      const { pending, authRequest, stepText } = begun
      const { code = '', challenge = '', credential } = parseSingle(call.parameters)
      const origin = await signInOriginOf(identity, call, pending)
      const outcome =
        credential === undefined
          ? await attemptCode(identity, begun, call, code)
          : await attemptOwnPasskey(identity, begun, call, { challenge, credential })
      if (outcome !== 'right') {
        const parameters = { authRequest, step: stepText, ...outcome }
        return { redirectTo: onThisHost(identity.settings, secondStepPath, parameters) }
      }
      const authenticated = {
        ...origin,
        ...authenticatedBy(begun.step, credential === undefined ? 'otp' : 'pop'),
      }
      const session = await beginSession(identity, begun.account, authenticated, call)
      return {
        redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
        cookie: session && identityCookie(identity, session),
      }
    }),
}

const attemptCode = (
  identity: Identity,
  begun: PendingSignIn,
  call: Call,
  code: string,
): Promise<AuthenticationOutcome> =>
  attemptAuthentication(identity, begun.account, begun.pending.request.clientId, call, {
    what: 'code',
    verify: () => useCode(identity, begun.account, begun.step, code),
  })

/** A passkey of another account is rejected. */
async function attemptOwnPasskey(
  identity: Identity,
  { account, step, pending }: PendingSignIn,
  call: Call,
  answer: PasskeyAnswer,
): Promise<AuthenticationOutcome> {
  const passkey = await findPasskey(identity.database, answer.credential)
  if (passkey?.accountId !== account.accountId) return { error: 'invalid' }
  const given = { ...answer, passkey, isAlone: false }
  const outcome = await attemptPasskey(identity, account, pending.request.clientId, call, given)
  if (outcome !== 'right') return outcome
  const isFirst = await identity.database.transaction((transaction) => spendStep(transaction, step))
  return isFirst ? 'right' : { error: 'invalid' }
}

/** A valid code can be used only once; using it also completes the step. */
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

export interface SecondStepPageOptions {
  readonly client: Client
  readonly authRequest: string
  readonly step: string
  /** The outcome of the previous attempt. */
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  readonly action: string
  readonly hasApp: boolean
  /** Present if a passkey can be used. */
  readonly dialog?: PasskeyDialog
}

const secondStepPage =
  ({ client, authRequest, step, error, retryAfter, action, hasApp, dialog }: SecondStepPageOptions): Page =>
  (say) => {
    const problem = error === undefined ? undefined : problemOf(say, error, retryAfter)
    const described = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
    return {
      title: say('Second step'),
      leadsTo: addressesOf(client),
      ...(dialog && { script: passkeyScriptPath }),
      content: html`<p class="quiet">${say('One more step to confirm that it is you.')}</p>
${dialog === undefined ? '' : passkeyForm(say, { dialog, asksTo: 'get', action, fields: { authRequest, step }, label: 'Use a passkey' })}
<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>${say(hasApp ? 'Code from your app, or a recovery code' : 'Recovery code')}
<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus${described}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<input type="hidden" name="step" value="${step}">
<button>${say('Continue')}</button>
</form>
<p class="quiet">${say('Lost access to all of these? Ask an administrator to reset two-factor authentication.')}</p>`,
    }
  }

const problemOf = (say: Say, error: string, retryAfter: string | undefined): Html =>
  error === 'locked'
    ? lockedText(say, retryAfter)
    : say('This code is wrong or has been used before. Codes change every 30 seconds.')
