import { addressesOf, type Client } from '../clients.ts'
import type { PasskeyDialog } from '../factors/passkey-challenge.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { passkeyForm } from './passkey-form.ts'
import { passkeyScriptPath } from './passkey-script.ts'
import { lockedText } from './sign-in.ts'
import type { Say } from './texts/say.ts'

export interface SecondStepPageOptions {
  readonly client: Client
  readonly authRequest: string
  readonly step: string
  /** What came of the attempt before. */
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  readonly action: string
  readonly hasApp: boolean
  /** Where a passkey can be used. */
  readonly dialog?: PasskeyDialog
}

export const secondStepPage =
  ({ client, authRequest, step, error, retryAfter, action, hasApp, dialog }: SecondStepPageOptions): Page =>
  (say) => {
    const problem = error === undefined ? undefined : problemOf(say, error, retryAfter)
    const described = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
    return {
      title: say('Second step'),
      leadsTo: addressesOf(client),
      ...(dialog && { script: passkeyScriptPath }),
      content: html`<p class="quiet">${say('One more step, to show that it is you.')}</p>
${dialog === undefined ? '' : passkeyForm(say, { dialog, asksTo: 'get', action, fields: { authRequest, step }, label: 'Use a passkey' })}
<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>${say(hasApp ? 'Code from your app, or a recovery code' : 'Recovery code')}
<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus${described}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<input type="hidden" name="step" value="${step}">
<button>${say('Continue')}</button>
</form>
<p class="quiet">${say('All of that lost? An administrator can take the second step away.')}</p>`,
    }
  }

const problemOf = (say: Say, error: string, retryAfter: string | undefined): Html =>
  error === 'locked'
    ? lockedText(say, retryAfter)
    : say('This is wrong, or it was used before. Codes change every half minute.')
