import { addressesOf, type Client } from '../clients.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import { lockedText } from './sign-in.ts'

export interface SecondStepPageOptions {
  readonly client: Client
  readonly authRequest: string
  readonly step: string
  /** What came of the attempt before. */
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  readonly action: string
}

export const secondStepPage = ({
  client,
  authRequest,
  step,
  error,
  retryAfter,
  action,
}: SecondStepPageOptions): Page => {
  const problem = error === undefined ? undefined : problemOf(error, retryAfter)
  const described = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
  return {
    title: 'Second step',
    leadsTo: addressesOf(client),
    content: html`<p class="quiet">Your password was right. Now show that it is you.</p>
<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>Code from your app, or a recovery code
<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus${described}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<input type="hidden" name="step" value="${step}">
<button>Continue</button>
</form>
<p class="quiet">App and recovery codes lost? An administrator can take the second step away.</p>`,
  }
}

const problemOf = (error: string, retryAfter: string | undefined): string =>
  error === 'locked'
    ? lockedText(retryAfter)
    : 'This code is wrong, or it was used before. Wait for the next one.'
