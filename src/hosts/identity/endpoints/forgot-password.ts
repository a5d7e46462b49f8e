import { isMailAddress, queueMail } from '../../../accounts/mail-queue.ts'
import { addressKey } from '../../../http/addresses.ts'
import { openPendingRequest } from '../authorization/authorization-request.ts'
import { type Endpoint, singleParameters } from '../core/endpoint.ts'
import { authRequestParameter, formOperation, pageOperation, required } from '../core/operation-parts.ts'
import {
  canResetPassword,
  forgotPasswordPath,
  hostOrigin,
  hostPath,
  hostPathWithQuery,
} from '../core/redirects.ts'
import { outdatedPage, type PageTemplate } from '../pages/page.ts'
import { html } from '../pages/texts.ts'
import { requireAllowedOrigin } from '../sign-in/browser.ts'

export const showForgotPassword: Endpoint = {
  ...pageOperation,
  id: 'ShowForgotPassword',
  summary: 'Asks for the login whose password is lost.',
  description: 'Sign-in pages of clients link here, if the server can send mail.',
  path: forgotPasswordPath,
  parameters: [authRequestParameter],
  page: 'The page.',
  createHandler:
    (identity) =>
    async ({ parameters }) => {
      const { authRequest } = singleParameters(parameters)
      const pending = await openPendingRequest(identity, authRequest)
      if (authRequest === undefined || !pending || !canResetPassword(identity)) return { page: outdatedPage }
      const { settings } = identity
      return {
        page: forgotPasswordPage({
          authRequest,
          action: hostPath(settings, forgotPasswordPath),
          back: hostPathWithQuery(settings, '/api/account/login-page', { authRequest }),
        }),
        language: pending.request.language,
      }
    },
}

/**
 * The response and its time do not depend on whether the account exists. The mail is only queued here, and
 * its recipient is looked up when it is sent.
 */
export const submitForgotPassword: Endpoint = {
  ...formOperation,
  id: 'AnswerForgotPassword',
  summary: 'Queues a mail with a password-reset link.',
  path: forgotPasswordPath,
  parameters: [authRequestParameter, required('login', 'The login whose password is lost.')],
  page: 'The same text whether or not the account exists.',
  createHandler: (identity) => async (call) => {
    requireAllowedOrigin([hostOrigin(identity.settings)], call.headers)
    const { login = '', authRequest } = singleParameters(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending || !canResetPassword(identity)) return { page: outdatedPage }
    const { address, requestId } = call
    const mail = { purpose: 'password', login: login.trim(), address: addressKey(address) } as const
    // `queueMail` returns the seconds to wait if it did not queue the mail.
    const isQueued =
      isMailAddress(mail.login) &&
      (await identity.database.transaction((transaction) => queueMail(transaction, mail))) === undefined
    identity.securityLog({
      event: 'mail-asked',
      // `docs/security-events.md` defines these outcomes; `kept` means queued.
      outcome: isQueued ? 'kept' : 'refused',
      typedLogin: login,
      client: pending.request.clientId,
      address,
      requestId,
    })
    const back = hostPathWithQuery(identity.settings, '/api/account/login-page', { authRequest })
    return { page: mailedPage(back), language: pending.request.language }
  },
}

interface ForgotPasswordPageOptions {
  readonly authRequest: string
  readonly action: string
  /** The URL of the sign-in page. */
  readonly back: string
}

const forgotPasswordPage =
  ({ authRequest, action, back }: ForgotPasswordPageOptions): PageTemplate =>
  (t) => ({
    title: t('Forgot your password?'),
    content: html`<p>${t('If your login is an email address, we will send you a link for choosing a new password.')}</p>
<form method="post" action="${action}">
<label>${t('Login')}
<input name="login" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required autofocus></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<button>${t('Send the link')}</button>
</form>
<p><a href="${back}">${t('Back to sign-in')}</a></p>`,
  })

/** The page does not reveal whether an account exists. */
const mailedPage =
  (back: string): PageTemplate =>
  (t) => ({
    title: t('Check your email'),
    content: html`<p>${t('If there is an account with this login, and the login is an email address, we have sent you a link. It is valid for one hour. If nothing arrives, check your spam folder or ask an administrator.')}</p>
<p><a href="${back}">${t('Back to sign-in')}</a></p>`,
  })
