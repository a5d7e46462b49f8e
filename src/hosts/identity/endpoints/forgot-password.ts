import { isMailAddress, queueMail } from '../../../accounts/mail-queue.ts'
import { addressKey } from '../../../http/addresses.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import { overPage } from '../pages/sign-in.ts'
import { type Endpoint, readSingle } from '../route.ts'
import { onThisHost, ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { requireAllowedOrigin } from '../sign-in/sign-in-origin.ts'

export const forgotPasswordPath = '/ext/forgot-password'

/** Whether a new password can be sent for. */
export const canForget = ({ settings }: Identity): boolean => settings.mail && settings.passwords

/** Asks who has lost the password, for every client. */
export const askForgotten =
  (identity: Identity): Endpoint =>
  async ({ parameters }) => {
    const { authRequest } = readSingle(parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending || !canForget(identity)) return { page: overPage }
    const { settings } = identity
    return {
      page: forgotPage({
        authRequest,
        action: ownAddress(settings, forgotPasswordPath),
        back: onThisHost(settings, '/api/account/login-page', { authRequest }),
      }),
      language: pending.request.language,
    }
  }

/**
 * The same answer after the same work, whether there is such an account or not: the mail is only noted here, and who it is for is
 * found out when it is sent. Too many are told nothing else either.
 */
export const answerForgotten =
  (identity: Identity): Endpoint =>
  async (call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { login = '', authRequest } = readSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending || !canForget(identity)) return { page: overPage }
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
