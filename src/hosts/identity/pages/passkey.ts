import { addressesOf, type Client } from '../clients.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { type PasskeyFormOptions, passkeyForm } from './passkey-form.ts'
import { passkeyScriptPath } from './passkey-script.ts'
import { lockedText } from './sign-in.ts'
import type { Say } from './texts/say.ts'

export interface PasskeyPageOptions extends Pick<PasskeyFormOptions, 'dialog' | 'action'> {
  readonly client: Client
  readonly authRequest: string
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  /** To the page for a password. */
  readonly back: string
}

/** Signs in with a passkey alone. */
export const passkeyPage =
  ({ client, authRequest, dialog, error, retryAfter, action, back }: PasskeyPageOptions): Page =>
  (say) => ({
    title: say('Sign in with a passkey'),
    leadsTo: addressesOf(client),
    script: passkeyScriptPath,
    content: html`${error === undefined ? '' : html`<p class="problem" role="alert">${problemOf(say, error, retryAfter)}</p>`}
<noscript><p>${say('Passkeys need scripts, which this browser does not run.')}</p></noscript>
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
    : say('This passkey is not known here, or did not verify that it is you.')
