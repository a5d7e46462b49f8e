import { html } from './html.ts'
import type { Page } from './page.ts'

export interface ForgotPageOptions {
  readonly authRequest: string
  readonly action: string
  /** To the sign-in. */
  readonly back: string
}

export const forgotPage =
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
export const mailedPage =
  (back: string): Page =>
  (say) => ({
    title: say('Look into your mails'),
    content: html`<p>${say('If there is an account with this login, and it is a mail address, a link is on its way. It works for an hour. Nothing came? Look among what your mail program sorts out, or ask an administrator.')}</p>
<p><a href="${back}">${say('Back to the sign-in')}</a></p>`,
  })
