import { sql } from '../../../db/sql.ts'
import { type Call, type Endpoint, type Identity, singleParameters } from '../core/endpoint.ts'
import {
  authRequestParameter,
  formOperation,
  outcomeParameters,
  pageOperation,
  secondFactorParameters,
  stepParameter,
} from '../core/operation-parts.ts'
import { hostOrigin, hostPath, hostPathWithQuery, secondStepPath } from '../core/redirects.ts'
import type { Account } from '../core/sessions.ts'
import { consumeStep, findFactors, useRecoveryCode } from '../factors/account-factors.ts'
import { useAppCode } from '../factors/authenticator-app.ts'
import {
  createAuthenticationDialog,
  findPasskey,
  type PasskeyDialog,
  type PasskeyResponse,
} from '../factors/passkeys.ts'
import { lockedText, type PageTemplate } from '../pages/page.ts'
import { passkeyForm, passkeyScriptPath } from '../pages/scripts.ts'
import { type Html, html, type Translate } from '../pages/texts.ts'
import { identityCookie, requireAllowedOrigin, signInSourceOf, startSession } from '../sign-in/browser.ts'
import {
  type AuthenticationOutcome,
  attemptAuthentication,
  attemptPasskey,
  authenticationAfter,
  type PendingSignIn,
  type SignInStep,
  withStep,
} from '../sign-in/sign-in-steps.ts'
import { type Client, redirectUrlsOf } from '../values/clients.ts'

export const showSecondStep: Endpoint = {
  ...pageOperation,
  id: 'ShowSecondStep',
  summary: 'Asks for the second factor.',
  description:
    'The sign-in redirects here after the first step, which is a password or an external provider.',
  path: secondStepPath,
  parameters: [authRequestParameter, stepParameter, ...outcomeParameters],
  page: 'The form for a code and, if possible, a passkey.',
  createHandler: (identity) =>
    withStep(identity, 'second-factor', async ({ pending, authRequest, stepText, account }, call) => {
      const { error, retryAfter } = singleParameters(call.parameters)
      const { passkeys } = identity.settings
      const factors = await findFactors(identity.database, account.accountId)
      const dialog =
        passkeys?.includeIdentityHost && factors.passkeyCount > 0
          ? await createAuthenticationDialog(identity, passkeys.domain, account.accountId)
          : undefined
      return {
        page: secondStepPage({
          client: pending.request.client,
          authRequest,
          step: stepText,
          error,
          retryAfter,
          action: hostPath(identity.settings, secondStepPath),
          hasApp: factors.appSince !== null,
          dialog,
        }),
        language: pending.request.language,
      }
    }),
}

export const submitSecondStep: Endpoint = {
  ...formOperation,
  id: 'AnswerSecondStep',
  summary: 'Processes a code, a recovery code or the response of a passkey.',
  path: secondStepPath,
  parameters: [authRequestParameter, stepParameter, ...secondFactorParameters],
  createHandler: (identity) =>
    withStep(identity, 'second-factor', async (signIn, call) => {
      requireAllowedOrigin([hostOrigin(identity.settings)], call.headers)
      const { pending, authRequest, stepText } = signIn
      const { code = '', challenge = '', credential } = singleParameters(call.parameters)
      const source = await signInSourceOf(identity, call, pending)
      const outcome =
        credential === undefined
          ? await attemptCode(identity, signIn, call, code)
          : await attemptAccountPasskey(identity, signIn, call, { challenge, credential })
      if (outcome !== 'success') {
        const parameters = { authRequest, step: stepText, ...outcome }
        return { redirectTo: hostPathWithQuery(identity.settings, secondStepPath, parameters) }
      }
      const authenticated = {
        ...source,
        ...authenticationAfter(signIn.step, credential === undefined ? 'otp' : 'pop'),
      }
      const session = await startSession(identity, signIn.account, authenticated, call)
      return {
        redirectTo: hostPathWithQuery(identity.settings, '/connect/authorize', { authRequest }),
        cookie: session && identityCookie(identity, session),
      }
    }),
}

const attemptCode = (
  identity: Identity,
  signIn: PendingSignIn,
  call: Call,
  code: string,
): Promise<AuthenticationOutcome> =>
  attemptAuthentication(identity, signIn.account, signIn.pending.request.clientId, call, {
    factor: 'code',
    verify: () => useCode(identity, signIn.account, signIn.step, code),
  })

/**
 * Attempts the second step with a passkey of the account. A failure has its own error, because the page has
 * another text for a wrong code.
 */
async function attemptAccountPasskey(
  identity: Identity,
  { account, step, pending }: PendingSignIn,
  call: Call,
  response: PasskeyResponse,
): Promise<AuthenticationOutcome> {
  const passkey = await findPasskey(identity.database, response.credential)
  if (passkey?.accountId !== account.accountId) return rejectedPasskey
  const attempt = { ...response, passkey, isSoleFactor: false }
  const outcome = await attemptPasskey(identity, account, pending.request.clientId, call, attempt)
  if (outcome !== 'success') return outcome.error === 'invalid' ? rejectedPasskey : outcome
  const isUnusedStep = await identity.database.transaction((transaction) => consumeStep(transaction, step))
  return isUnusedStep ? 'success' : rejectedPasskey
}

const rejectedPasskey = { error: 'invalid-passkey' } as const

/**
 * Uses an app code or a recovery code. A valid code can be used only once; using it also completes the step.
 */
const useCode = (
  identity: Identity,
  { accountId }: Account,
  step: SignInStep,
  code: string,
): Promise<boolean> =>
  identity.database.transaction(async (transaction) => {
    const trimmed = code.trim()
    if (await useAppCode(identity, transaction, accountId, trimmed.replaceAll(' ', '')))
      return consumeStep(transaction, step)
    if (!(await useRecoveryCode(transaction, accountId, trimmed))) return false
    // Signing in another way permits app codes again after too many wrong codes.
    await transaction.query(sql`update authenticator_apps set failures = 0 where user_id = ${accountId}`)
    return consumeStep(transaction, step)
  })

interface SecondStepPageOptions {
  readonly client: Client
  readonly authRequest: string
  readonly step: string
  /** The outcome of the previous attempt. */
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  readonly action: string
  readonly hasApp: boolean
  /** The challenge and the options for the browser's passkey dialog, if a passkey can be used. */
  readonly dialog: PasskeyDialog | undefined
}

const secondStepPage =
  ({
    client,
    authRequest,
    step,
    error,
    retryAfter,
    action,
    hasApp,
    dialog,
  }: SecondStepPageOptions): PageTemplate =>
  (t) => {
    const problem = codeProblemOf(t, { error, retryAfter, hasApp })
    const inputAttributes = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
    return {
      title: t('Second step'),
      formRedirects: redirectUrlsOf(client),
      ...(dialog && { script: passkeyScriptPath }),
      content: html`<p class="quiet">${t('One more step to confirm that it is you.')}</p>
${passkeyProblemOf(t, error)}
${dialog === undefined ? '' : passkeyForm(t, { dialog, method: 'get', action, fields: { authRequest, step }, label: 'Use a passkey' })}
<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>${t(hasApp ? 'Code from your app, or a recovery code' : 'Recovery code')}
<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus${inputAttributes}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<input type="hidden" name="step" value="${step}">
<button>${t('Continue')}</button>
</form>
<p class="quiet">${t('Lost access to all of these? Ask an administrator to reset two-factor authentication.')}</p>`,
    }
  }

const passkeyProblemOf = (t: Translate, error: string | undefined): Html | '' =>
  error === rejectedPasskey.error
    ? html`<p class="problem" role="alert">${t('This passkey is not registered here, or it could not verify you.')}</p>`
    : ''

function codeProblemOf(
  t: Translate,
  { error, retryAfter, hasApp }: Pick<SecondStepPageOptions, 'error' | 'retryAfter' | 'hasApp'>,
): Html | undefined {
  if (error === undefined || error === rejectedPasskey.error) return undefined
  if (error === 'locked') return lockedText(t, retryAfter)
  return hasApp
    ? t('This code is wrong or has been used before. Codes change every 30 seconds.')
    : t('This code is wrong or has been used before.')
}
