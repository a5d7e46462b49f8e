import { isMailAddress, queueMail } from '../../../accounts/mail-queue.ts'
import { addressKey } from '../../../http/addresses.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import { canForget, forgotPasswordPath, onThisHost, ownAddress, ownOrigin } from '../core/addresses.ts'
import { authRequestParameter, postedForm, required, shownPage } from '../core/describe.ts'
import { type Endpoint, parseSingle } from '../core/endpoint.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import { outdatedPage } from '../pages/sign-in.ts'
import { requireAllowedOrigin } from '../sign-in/sign-in-origin.ts'

export const askForgotten: Endpoint = {
  ...shownPage,
  id: 'ShowForgotPassword',
  summary: 'Asks whose password is lost.',
  description: 'Sign-in pages of clients lead here by a link, where mails are sent.',
  path: forgotPasswordPath,
  parameters: [authRequestParameter],
  page: 'The page.',
  handler:
    (identity) =>
    async ({ parameters }) => {
      const { authRequest } = parseSingle(parameters)
      const pending = await openPendingRequest(identity, authRequest)
      if (authRequest === undefined || !pending || !canForget(identity)) return { page: outdatedPage }
      const { settings } = identity
      return {
        page: forgotPage({
          authRequest,
          action: ownAddress(settings, forgotPasswordPath),
          back: onThisHost(settings, '/api/account/login-page', { authRequest }),
        }),
        language: pending.request.language,
      }
    },
}

/**
 * The answer and the work are the same whether the account exists or not: the mail is only queued here, and its recipient is looked
 * up when it is sent. A client over its limit gets the same answer too.
 */
export const answerForgotten: Endpoint = {
  ...postedForm,
  id: 'AnswerForgotPassword',
  summary: 'Notes a mail with a link for a new password.',
  path: forgotPasswordPath,
  parameters: [authRequestParameter, required('login', 'Whose password is lost.')],
  page: 'The same words, whether there is such an account or not.',
  handler: (identity) => async (call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { login = '', authRequest } = parseSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending || !canForget(identity)) return { page: outdatedPage }
    const { address, requestId } = call
    const wish = { purpose: 'password', login: login.trim(), address: addressKey(address) } as const
    const isKept =
      isMailAddress(wish.login) &&
      (await identity.database.transaction((transaction) => queueMail(transaction, wish)))
    identity.securityLog({
      event: 'mail-asked',
      outcome: isKept ? 'kept' : 'refused',
      unknownLogin: login,
      ...{ client: pending.request.clientId, address, requestId },
    })
    const back = onThisHost(identity.settings, '/api/account/login-page', { authRequest })
    return { page: mailedPage(back), language: pending.request.language }
  },
}

export interface ForgotPageOptions {
  readonly authRequest: string
  readonly action: string
  /** To the sign-in. */
  readonly back: string
}

const forgotPage =
  ({ authRequest, action, back }: ForgotPageOptions): Page =>
  (say) => ({
    title: say('Forgot your password?'),
    content: html`<p>${say('If your login is a mail address, we send a link there by which you choose a new one.')}</p>
<form method="post" action="${action}">
<label>${say('Login')}
<input name="login" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required autofocus></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<button>${say('Send the link')}</button>
</form>
<p><a href="${back}">${say('Back to the sign-in')}</a></p>`,
  })

/** Says nothing about who has an account. */
const mailedPage =
  (back: string): Page =>
  (say) => ({
    title: say('Look into your mails'),
    content: html`<p>${say('If there is an account with this login, and it is a mail address, a link is on its way. It works for an hour. Nothing came? Look among what your mail program sorts out, or ask an administrator.')}</p>
<p><a href="${back}">${say('Back to the sign-in')}</a></p>`,
  })
