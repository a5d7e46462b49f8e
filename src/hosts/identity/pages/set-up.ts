import { addressesOf, type Client } from '../clients.ts'
import type { AppOffer } from '../factors/authenticator-app.ts'
import type { PasskeyDialog } from '../factors/passkey-challenge.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import { passkeyForm } from './passkey-form.ts'
import { passkeyScriptPath } from './passkey-script.ts'
import type { PlainText } from './texts/say.ts'

export interface SetUpPageOptions {
  readonly client: Client
  readonly authRequest: string
  readonly step: string
  readonly offer: AppOffer
  readonly problem: PlainText | undefined
  readonly action: string
  /** Where a passkey can be made. */
  readonly dialog?: PasskeyDialog
}

export const setUpPage =
  ({ client, authRequest, step, offer, problem, action, dialog }: SetUpPageOptions): Page =>
  (say) => {
    const { side, path } = offer.picture
    const described = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
    return {
      title: say('Set up a second step'),
      leadsTo: addressesOf(client),
      ...(dialog && { script: passkeyScriptPath }),
      content: html`<p>${say('Signing in here takes more than a password. Scan this with an app that makes codes, such as the one of your password manager.')}</p>
<svg class="picture" viewBox="0 0 ${String(side)} ${String(side)}" role="img" aria-label="${say('The secret as a QR code')}"><rect width="100%" height="100%" fill="#fff"/><path d="${path}" fill="#000"/></svg>
<p class="quiet">${say('Or type this secret into the app: {secret}', { secret: html`<code>${(offer.secret.match(/.{4}/g) ?? []).join(' ')}</code>` })}</p>
<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${say(problem)}</p>`}
<label>${say('Code that the app shows')}
<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required autofocus${described}></label>
<input type="hidden" name="offer" value="${offer.offer}">
<input type="hidden" name="authRequest" value="${authRequest}">
<input type="hidden" name="step" value="${step}">
<button>${say('Continue')}</button>
</form>
${dialog === undefined ? '' : passkeyForm(say, { dialog, asksTo: 'create', action, fields: { authRequest, step }, label: 'Use a passkey instead' })}`,
    }
  }

export const recoveryCodesPage =
  (codes: readonly string[], goOn: string): Page =>
  (say) => ({
    title: say('Keep your recovery codes'),
    content: html`<p>${say('Each signs you in once, for the day on which you have lost your app. They are shown this once: print them, or put them where you keep your passwords.')}</p>
<ul class="codes">
${codes.map((code) => html`<li><code>${code}</code></li>\n`)}
</ul>
<p><a class="button first" href="${goOn}">${say('I have kept them')}</a></p>`,
  })
