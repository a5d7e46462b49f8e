import { openPendingRequest } from '../authorization/pending-request.ts'
import { findAccountById } from '../core/accounts.ts'
import { onThisHost, ownAddress, ownOrigin, passkeyPath } from '../core/addresses.ts'
import {
  authRequestParameter,
  outcomeParameters,
  pageOperation,
  passkeyParameters,
  postedForm,
} from '../core/describe.ts'
import { type Endpoint, parseSingle } from '../core/endpoint.ts'
import { askForPasskey } from '../factors/passkey-challenge.ts'
import { findPasskey } from '../factors/passkeys.ts'
import { type Html, html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import { type PasskeyFormOptions, passkeyForm, passkeyScriptPath } from '../pages/scripts.ts'
import { lockedText, outdatedPage } from '../pages/sign-in.ts'
import type { Say } from '../pages/texts.ts'
import { beginSession } from '../sign-in/browser-session.ts'
import { identityCookie } from '../sign-in/identity-cookie.ts'
import { requireAllowedOrigin, signInOriginOf } from '../sign-in/sign-in-origin.ts'
import { attemptPasskey } from '../sign-in/verify-credentials.ts'
import { addressesOf, type Client } from '../values/clients.ts'

export const askPasskey: Endpoint = {
  ...pageOperation,
  id: 'ShowPasskeyPage',
  summary: 'Signs in with a passkey alone, for every client.',
  description: 'Sign-in pages of clients link here.',
  path: passkeyPath,
  parameters: [authRequestParameter, ...outcomeParameters],
  page: 'The page.',
  handler:
    (identity) =>
    async ({ parameters }) => {
      const { authRequest, error, retryAfter } = parseSingle(parameters)
      const pending = await openPendingRequest(identity, authRequest)
      const { passkeys } = identity.settings
      if (authRequest === undefined || !pending || !passkeys?.includeIdentityHost)
        return { page: outdatedPage }
      return {
        page: passkeyPage({
          client: pending.request.client,
          ...{ authRequest, error, retryAfter },
          dialog: await askForPasskey(identity, passkeys.domain),
          action: ownAddress(identity.settings, passkeyPath),
          back: onThisHost(identity.settings, '/api/account/login-page', { authRequest }),
        }),
        language: pending.request.language,
      }
    },
}

export const answerPasskey: Endpoint = {
  ...postedForm,
  id: 'AnswerPasskeyPage',
  summary: 'Processes the response of a passkey.',
  path: passkeyPath,
  parameters: [authRequestParameter, ...passkeyParameters],
  handler: (identity) => async (call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { authRequest, challenge = '', credential = '' } = parseSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending) return { page: outdatedPage }
    const retryWith = (outcome: Readonly<Record<string, string>>) => ({
      redirectTo: onThisHost(identity.settings, passkeyPath, { authRequest, ...outcome }),
    })
    const passkey = await findPasskey(identity.database, credential)
    const account = passkey && (await findAccountById(identity.database, passkey.accountId))
    if (!passkey || !account) return retryWith({ error: 'invalid' })
    const answer = { passkey, challenge, credential, isAlone: true }
    const outcome = await attemptPasskey(identity, account, pending.request.clientId, call, answer)
    if (outcome !== 'right') return retryWith(outcome)
    const origin = { ...(await signInOriginOf(identity, call, pending)), methods: ['pop', 'mfa'] }
    const session = await beginSession(identity, account, origin, call)
    return {
      redirectTo: onThisHost(identity.settings, '/connect/authorize', { authRequest }),
      cookie: session && identityCookie(identity, session),
    }
  },
}

export interface PasskeyPageOptions extends Pick<PasskeyFormOptions, 'dialog' | 'action'> {
  readonly client: Client
  readonly authRequest: string
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  /** Leads to the page for a password. */
  readonly back: string
}

/** Asks for a passkey as the only sign-in step. */
const passkeyPage =
  ({ client, authRequest, dialog, error, retryAfter, action, back }: PasskeyPageOptions): Page =>
  (say) => ({
    title: say('Sign in with a passkey'),
    leadsTo: addressesOf(client),
    script: passkeyScriptPath,
    content: html`${error === undefined ? '' : html`<p class="problem" role="alert">${problemOf(say, error, retryAfter)}</p>`}
<noscript><p>${say('Passkeys require JavaScript, which is disabled in this browser.')}</p></noscript>
${passkeyForm(say, {
  ...{ dialog, action },
  asksTo: 'get',
  fields: { authRequest },
  label: 'Use a passkey',
  isAutomatic: error === undefined,
})}
<p><a href="${back}">${say('Sign in with a password')}</a></p>`,
  })

const problemOf = (say: Say, error: string, retryAfter: string | undefined): Html =>
  error === 'locked'
    ? lockedText(say, retryAfter)
    : say('This passkey is unknown here, or it did not verify that it is you.')
