import { openPendingRequest } from '../authorization/authorization-request.ts'
import { type Endpoint, singleParameters } from '../core/endpoint.ts'
import {
  authRequestParameter,
  formOperation,
  outcomeParameters,
  pageOperation,
  passkeyParameters,
} from '../core/operation-parts.ts'
import { hostOrigin, hostPath, hostPathWithQuery, passkeyPath } from '../core/redirects.ts'
import { findAccountById } from '../core/sessions.ts'
import { createAuthenticationDialog, findPasskey } from '../factors/passkeys.ts'
import { lockedText, outdatedPage, type PageTemplate } from '../pages/page.ts'
import { type PasskeyFormOptions, passkeyForm, passkeyScriptPath } from '../pages/scripts.ts'
import { type Html, html, type Translate } from '../pages/texts.ts'
import { identityCookie, requireAllowedOrigin, signInSourceOf, startSession } from '../sign-in/browser.ts'
import { attemptPasskey } from '../sign-in/sign-in-steps.ts'
import { type Client, redirectUrlsOf } from '../values/clients.ts'

export const showPasskeyPage: Endpoint = {
  ...pageOperation,
  id: 'ShowPasskeyPage',
  summary: 'Signs in with a passkey alone, for every client.',
  description: 'Sign-in pages of clients link here.',
  path: passkeyPath,
  parameters: [authRequestParameter, ...outcomeParameters],
  page: 'The form for a passkey.',
  createHandler:
    (identity) =>
    async ({ parameters }) => {
      const { authRequest, error, retryAfter } = singleParameters(parameters)
      const pending = await openPendingRequest(identity, authRequest)
      const { passkeys } = identity.settings
      if (authRequest === undefined || !pending || !passkeys?.includeIdentityHost)
        return { page: outdatedPage }
      return {
        page: passkeyPage({
          client: pending.request.client,
          authRequest,
          error,
          retryAfter,
          dialog: await createAuthenticationDialog(identity, passkeys.domain),
          action: hostPath(identity.settings, passkeyPath),
          back: hostPathWithQuery(identity.settings, '/api/account/login-page', { authRequest }),
        }),
        language: pending.request.language,
      }
    },
}

export const submitPasskey: Endpoint = {
  ...formOperation,
  id: 'AnswerPasskeyPage',
  summary: 'Processes the response of a passkey.',
  path: passkeyPath,
  parameters: [authRequestParameter, ...passkeyParameters],
  createHandler: (identity) => async (call) => {
    requireAllowedOrigin([hostOrigin(identity.settings)], call.headers)
    const { authRequest, challenge = '', credential = '' } = singleParameters(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: outdatedPage }
    const retryWith = (outcome: Readonly<Record<string, string>>) => ({
      redirectTo: hostPathWithQuery(identity.settings, passkeyPath, { authRequest, ...outcome }),
    })
    const passkey = await findPasskey(identity.database, credential)
    const account = passkey && (await findAccountById(identity.database, passkey.accountId))
    if (!passkey || !account) return retryWith({ error: 'invalid' })
    const response = { passkey, challenge, credential, isSoleFactor: true }
    const outcome = await attemptPasskey(identity, account, pending.request.clientId, call, response)
    if (outcome !== 'success') return retryWith(outcome)
    const source = { ...(await signInSourceOf(identity, call, pending)), methods: ['pop', 'mfa'] }
    const session = await startSession(identity, account, source, call)
    return {
      redirectTo: hostPathWithQuery(identity.settings, '/connect/authorize', { authRequest }),
      cookie: session && identityCookie(identity, session),
    }
  },
}

interface PasskeyPageOptions extends Pick<PasskeyFormOptions, 'dialog' | 'action'> {
  readonly client: Client
  readonly authRequest: string
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  /** The URL of the sign-in page, which asks for a password. */
  readonly back: string
}

/** Asks for a passkey as the only sign-in step. */
const passkeyPage =
  ({ client, authRequest, dialog, error, retryAfter, action, back }: PasskeyPageOptions): PageTemplate =>
  (t) => ({
    title: t('Sign in with a passkey'),
    formRedirects: redirectUrlsOf(client),
    script: passkeyScriptPath,
    content: html`${error === undefined ? '' : html`<p class="problem" role="alert">${problemOf(t, error, retryAfter)}</p>`}
<noscript><p>${t('Passkeys require JavaScript, which is disabled in this browser.')}</p></noscript>
${passkeyForm(t, {
  dialog,
  action,
  method: 'get',
  fields: { authRequest },
  label: 'Use a passkey',
  isAutomatic: error === undefined,
})}
<p><a href="${back}">${t('Sign in with a password')}</a></p>`,
  })

const problemOf = (t: Translate, error: string, retryAfter: string | undefined): Html =>
  error === 'locked'
    ? lockedText(t, retryAfter)
    : t('This passkey is not registered here, or it could not verify you.')
