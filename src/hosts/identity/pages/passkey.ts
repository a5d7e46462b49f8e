import { addressesOf, type Client } from '../clients.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import { type PasskeyFormOptions, passkeyForm } from './passkey-form.ts'
import { passkeyScriptPath } from './passkey-script.ts'
import { lockedText } from './sign-in.ts'

export interface PasskeyPageOptions extends Pick<PasskeyFormOptions, 'dialog' | 'action'> {
  readonly client: Client
  readonly authRequest: string
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  /** To the page for a password. */
  readonly back: string
}

/** Signs in with a passkey alone. */
export const passkeyPage = ({
  client,
  authRequest,
  dialog,
  error,
  retryAfter,
  action,
  back,
}: PasskeyPageOptions): Page => ({
  title: 'Sign in with a passkey',
  leadsTo: addressesOf(client),
  script: passkeyScriptPath,
  content: html`${error === undefined ? '' : html`<p class="problem" role="alert">${problemOf(error, retryAfter)}</p>`}
<noscript><p>Passkeys need scripts, which this browser does not run.</p></noscript>
${passkeyForm({
  ...{ dialog, action },
  asksTo: 'get',
  fields: { authRequest },
  label: 'Use a passkey',
  isAutomatic: error === undefined,
})}
<p><a href="${back}">Sign in with a password</a></p>`,
})

const problemOf = (error: string, retryAfter: string | undefined): string =>
  error === 'locked'
    ? lockedText(retryAfter)
    : 'This passkey is not known here, or did not verify that it is you.'
