import { lockFactors } from '../../../accounts/sign-in.ts'
import {
  type Endpoint,
  type HandlerResult,
  type Identity,
  type SingleParameters,
  singleParameters,
} from '../core/endpoint.ts'
import {
  authRequestParameter,
  formOperation,
  optional,
  pageOperation,
  secondFactorParameters,
  stepParameter,
} from '../core/operation-parts.ts'
import { hostOrigin, hostPath, hostPathWithQuery, setUpPath } from '../core/redirects.ts'
import {
  completeFactorChange,
  consumeStep,
  createRecoveryCodes,
  findFactors,
  hasFactor,
} from '../factors/account-factors.ts'
import { type AppOffer, offerApp, registerApp } from '../factors/authenticator-app.ts'
import { createRegistrationDialog, type PasskeyDialog, registerPasskey } from '../factors/passkeys.ts'
import type { PageTemplate } from '../pages/page.ts'
import { passkeyForm, passkeyScriptPath } from '../pages/scripts.ts'
import { html, type PlainText } from '../pages/texts.ts'
import { identityCookie, requireAllowedOrigin, signInSourceOf, startSession } from '../sign-in/browser.ts'
import { authenticationAfter, type PendingSignIn, withStep } from '../sign-in/sign-in-steps.ts'
import { type Client, redirectUrlsOf } from '../values/clients.ts'

/** If an account must have a second factor but has none, the user has to set up one first. */
export const showFactorSetUp: Endpoint = {
  ...pageOperation,
  id: 'ShowFactorSetUp',
  summary: 'Asks a user who is required to have a second factor to set one up.',
  description: 'This host redirects browsers here after a correct password.',
  path: setUpPath,
  parameters: [authRequestParameter, stepParameter],
  page: 'The page, with a new secret each time.',
  createHandler: (identity) =>
    withStep(identity, 'set-up', (signIn) => setUpResult(identity, signIn, undefined)),
}

export const submitFactorSetUp: Endpoint = {
  ...formOperation,
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
  createHandler: (identity) =>
    withStep(identity, 'set-up', async (signIn, call) => {
      requireAllowedOrigin([hostOrigin(identity.settings)], call.headers)
      const form = singleParameters(call.parameters)
      const isPasskey = form.credential !== undefined
      const outcome = await storeFactor(identity, signIn, form)
      if (outcome === 'wrong')
        return setUpResult(identity, signIn, isPasskey ? passkeyProblemText : codeProblemText)
      const { authRequest, account, pending, step } = signIn
      const continueUrl = hostPathWithQuery(identity.settings, '/connect/authorize', { authRequest })
      if (outcome === 'outdated') return { redirectTo: continueUrl }
      const { address, requestId } = call
      identity.securityLog({
        event: 'factor-changed',
        outcome: isPasskey ? 'passkey added' : 'app set up',
        account: account.accountId,
        by: account.accountId,
        client: pending.request.clientId,
        address,
        requestId,
      })
      const source = await signInSourceOf(identity, call, pending)
      const authenticated = { ...source, ...authenticationAfter(step, isPasskey ? 'pop' : 'otp') }
      // Storing the factor has incremented the count.
      const changedAccount = { ...account, factorChanges: account.factorChanges + 1 }
      const session = await startSession(identity, changedAccount, authenticated, call)
      return {
        page: recoveryCodesPage(outcome, continueUrl),
        language: pending.request.language,
        cookie: session && identityCookie(identity, session),
      }
    }),
}

const codeProblemText = 'This code is wrong. Scan the new QR code and try again.'
const passkeyProblemText = 'The passkey could not be saved. Try again.'

/**
 * Stores the factor and returns recovery codes. An existing factor is not replaced, because an attacker may
 * know the password.
 */
const storeFactor = (
  identity: Identity,
  { account: { accountId }, step }: PendingSignIn,
  { offer = '', code = '', challenge = '', credential }: SingleParameters,
): Promise<readonly string[] | 'wrong' | 'outdated'> =>
  identity.database.transaction(async (transaction) => {
    await lockFactors(transaction, accountId)
    if (hasFactor(await findFactors(transaction, accountId))) return 'outdated'
    const isStored =
      credential === undefined
        ? await registerApp(identity, transaction, accountId, { offer, code: code.replaceAll(/\s/g, '') })
        : await registerPasskey(identity, transaction, accountId, { challenge, credential, name: 'Passkey' })
    if (!isStored) return 'wrong'
    if (!(await consumeStep(transaction, step))) return 'outdated'
    await completeFactorChange(identity, transaction, accountId)
    return createRecoveryCodes(transaction, accountId)
  })

const setUpResult = async (
  identity: Identity,
  { pending, authRequest, stepText, account }: PendingSignIn,
  problem: PlainText | undefined,
): Promise<HandlerResult> => {
  const { passkeys } = identity.settings
  const dialog = passkeys?.includeIdentityHost
    ? await createRegistrationDialog(identity, account, passkeys.domain)
    : undefined
  return {
    page: setUpPage({
      client: pending.request.client,
      authRequest,
      step: stepText,
      problem,
      offer: offerApp(identity, account),
      action: hostPath(identity.settings, setUpPath),
      dialog,
    }),
    language: pending.request.language,
  }
}

interface SetUpPageOptions {
  readonly client: Client
  readonly authRequest: string
  readonly step: string
  readonly offer: AppOffer
  readonly problem: PlainText | undefined
  readonly action: string
  /** Undefined if no passkey can be created. */
  readonly dialog: PasskeyDialog | undefined
}

const setUpPage =
  ({ client, authRequest, step, offer, problem, action, dialog }: SetUpPageOptions): PageTemplate =>
  (t) => {
    const { side, path } = offer.picture
    const inputAttributes = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
    return {
      title: t('Set up a second step'),
      formRedirects: redirectUrlsOf(client),
      ...(dialog && { script: passkeyScriptPath }),
      content: html`<p>${t('Your account requires more than a password. Scan this code with an authenticator app, such as your password manager.')}</p>
<svg class="picture" viewBox="0 0 ${String(side)} ${String(side)}" role="img" aria-label="${t('The secret as a QR code')}"><rect width="100%" height="100%" fill="#fff"/><path d="${path}" fill="#000"/></svg>
<p class="quiet">${t('Or type this secret into the app: {secret}', { secret: html`<code>${(offer.secret.match(/.{4}/g) ?? []).join(' ')}</code>` })}</p>
<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${t(problem)}</p>`}
<label>${t('Code shown by the app')}
<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required autofocus${inputAttributes}></label>
<input type="hidden" name="offer" value="${offer.offer}">
<input type="hidden" name="authRequest" value="${authRequest}">
<input type="hidden" name="step" value="${step}">
<button>${t('Continue')}</button>
</form>
${dialog === undefined ? '' : passkeyForm(t, { dialog, method: 'create', action, fields: { authRequest, step }, label: 'Use a passkey instead' })}`,
    }
  }

const recoveryCodesPage =
  (codes: readonly string[], continueUrl: string): PageTemplate =>
  (t) => ({
    title: t('Save your recovery codes'),
    content: html`<p>${t('Each code lets you sign in once if you lose your app. The codes are shown only once: print them, or store them with your passwords.')}</p>
<ul class="codes">
${codes.map((code) => html`<li><code>${code}</code></li>\n`)}
</ul>
<p><a class="button first" href="${continueUrl}">${t('I have saved them')}</a></p>`,
  })
