import type { PasskeyDialog } from '../factors/passkey-challenge.ts'
import { type Html, html } from './html.ts'
import type { PlainText, Say } from './texts/say.ts'

export interface PasskeyFormOptions {
  readonly dialog: PasskeyDialog
  /** Of `navigator.credentials`. */
  readonly asksTo: 'create' | 'get'
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: PlainText
  /** Opens the dialog by itself, where somebody came for nothing else. */
  readonly isAutomatic?: boolean
}

/** Shown by the script that it needs. */
export const passkeyForm = (
  say: Say,
  { dialog, asksTo, action, fields, label, isAutomatic = false }: PasskeyFormOptions,
): Html =>
  html`<form method="post" action="${action}" data-passkey="${asksTo}" data-options="${JSON.stringify(dialog.options)}"${isAutomatic ? html` data-auto` : ''} hidden>
<p class="problem" role="alert" hidden>${say('The passkey was not used. Try again.')}</p>
${Object.entries({ ...fields, challenge: dialog.challenge, credential: '' }).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
)}<button class="second">${say(label)}</button>
</form>`
