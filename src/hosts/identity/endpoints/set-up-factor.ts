import { onThisHost, ownAddress, ownOrigin, setUpPath } from '../core/addresses.ts'
import {
  authRequestParameter,
  optional,
  pageOperation,
  postedForm,
  secondFactorParameters,
  stepParameter,
} from '../core/describe.ts'
import { type Answer, type Endpoint, type Parameters, parseSingle } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { lockFactors } from '../core/sessions.ts'
import { findFactors, hasFactor, spendStep } from '../factors/account-factors.ts'
import { type AppOffer, acceptApp, offerApp } from '../factors/authenticator-app.ts'
import { afterChange } from '../factors/change-factors.ts'
import { askForNewPasskey, type PasskeyDialog } from '../factors/passkey-challenge.ts'
import { acceptPasskey } from '../factors/passkeys.ts'
import { makeRecoveryCodes } from '../factors/recovery-codes.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import { passkeyForm, passkeyScriptPath } from '../pages/scripts.ts'
import type { PlainText } from '../pages/texts.ts'
import { beginSession } from '../sign-in/browser-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin, signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { authenticatedBy, type PendingSignIn, withStep } from '../sign-in/sign-in-step.ts'
import { addressesOf, type Client } from '../values/clients.ts'

/** An account that is required to have a second factor but has none must set one up before anything else. */
export const askToSetUp: Endpoint = {
  ...pageOperation,
  id: 'ShowFactorSetUp',
  summary: 'Asks a user who is required to have a second factor to set one up.',
  description: 'This host redirects browsers here after a correct password.',
  path: setUpPath,
  parameters: [authRequestParameter, stepParameter],
  page: 'The page, with a new secret each time.',
  handler: (identity) => withStep(identity, 'set-up', (begun) => showSetUp(identity, begun, undefined)),
}

export const answerSetUp: Endpoint = {
  ...postedForm,
  id: 'AnswerFactorSetUp',
  summary: 'Stores the app or the passkey, and signs in.',
  path: setUpPath,
  parameters: [
    authRequestParameter,
    stepParameter,
    optional('offer', 'The secret that the page has shown, sealed.'),
    ...secondFactorParameters,
  ],
  page: 'The recovery codes, or the same page with an error.',
  handler: (identity) =>
    withStep(identity, 'set-up', async (begun, call) => {
      requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
      const given = parseSingle(call.parameters)
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
      const authenticated = { ...origin, ...authenticatedBy(step, isPasskey ? 'pop' : 'otp') }
      // This change itself has incremented the counter.
      const changed = { ...account, factorChanges: account.factorChanges + 1 }
      const session = await beginSession(identity, changed, authenticated, call)
      return {
        page: recoveryCodesPage(made, goOn),
        language: pending.request.language,
        cookie: session && identityCookie(identity, session),
      }
    }),
}

const codeProblem = 'This code is wrong. Scan the new QR code and try again.'
const passkeyProblem = 'The passkey could not be saved. Try again.'

/** Only possible while there is no factor: an attacker who knows the password must not replace one. */
const setUp = (
  identity: Identity,
  { account: { accountId }, step }: PendingSignIn,
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
  { pending, authRequest, stepText, account }: PendingSignIn,
  problem: PlainText | undefined,
): Promise<Answer> => {
  const { passkeys } = identity.settings
  return {
    page: setUpPage({
      client: pending.request.client,
      ...{ authRequest, step: stepText, problem },
      offer: offerApp(identity, account),
      action: ownAddress(identity.settings, setUpPath),
      ...(passkeys?.includeIdentityHost && {
        dialog: await askForNewPasskey(identity, account, passkeys.domain),
      }),
    }),
    language: pending.request.language,
  }
}

export interface SetUpPageOptions {
  readonly client: Client
  readonly authRequest: string
  readonly step: string
  readonly offer: AppOffer
  readonly problem: PlainText | undefined
  readonly action: string
  /** Present if a passkey can be created. */
  readonly dialog?: PasskeyDialog
}

const setUpPage =
  ({ client, authRequest, step, offer, problem, action, dialog }: SetUpPageOptions): Page =>
  (say) => {
    const { side, path } = offer.picture
    const described = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
    return {
      title: say('Set up a second step'),
      leadsTo: addressesOf(client),
      ...(dialog && { script: passkeyScriptPath }),
      content: html`<p>${say('Signing in here requires more than a password. Scan this code with an authenticator app, such as your password manager.')}</p>
<svg class="picture" viewBox="0 0 ${String(side)} ${String(side)}" role="img" aria-label="${say('The secret as a QR code')}"><rect width="100%" height="100%" fill="#fff"/><path d="${path}" fill="#000"/></svg>
<p class="quiet">${say('Or type this secret into the app: {secret}', { secret: html`<code>${(offer.secret.match(/.{4}/g) ?? []).join(' ')}</code>` })}</p>
<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${say(problem)}</p>`}
<label>${say('Code shown by the app')}
<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required autofocus${described}></label>
<input type="hidden" name="offer" value="${offer.offer}">
<input type="hidden" name="authRequest" value="${authRequest}">
<input type="hidden" name="step" value="${step}">
<button>${say('Continue')}</button>
</form>
${dialog === undefined ? '' : passkeyForm(say, { dialog, asksTo: 'create', action, fields: { authRequest, step }, label: 'Use a passkey instead' })}`,
    }
  }

const recoveryCodesPage =
  (codes: readonly string[], goOn: string): Page =>
  (say) => ({
    title: say('Save your recovery codes'),
    content: html`<p>${say('Each code signs you in once if you lose your app. They are shown only once: print them, or store them with your passwords.')}</p>
<ul class="codes">
${codes.map((code) => html`<li><code>${code}</code></li>\n`)}
</ul>
<p><a class="button first" href="${goOn}">${say('I have saved them')}</a></p>`,
  })
