import { addressesOf, type Client } from '../clients.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import type { PlainText } from './texts/say.ts'

export interface ConsentPageOptions {
  readonly client: Client
  readonly scopes: readonly string[]
  /** Who would be seen by the client. */
  readonly person: { readonly name: string; readonly login: string }
  readonly redirectUri: string
  /** What is allowed counts for this time only. */
  readonly isAskedAgain: boolean
  readonly authRequest: string
  readonly action: string
}

export const consentPage =
  ({ client, scopes, person, redirectUri, isAskedAgain, ...form }: ConsentPageOptions): Page =>
  (say) => {
    const asking = client.registration?.name ?? client.id
    return {
      title: say('Allow {client}?', { client: asking }),
      leadsTo: addressesOf(client),
      content: html`<p>${say('You are signed in as {name} ({login}). {client} asks to:', { ...person, client: asking })}</p>
<ul>
${scopes.flatMap((scope) => {
  const meaning = meanings[scope]
  return meaning === undefined ? [] : [html`<li>${say(meaning)}</li>\n`]
})}
</ul>
<form method="post" action="${form.action}">
<input type="hidden" name="authRequest" value="${form.authRequest}">
<button name="answer" value="allow">${say('Allow')}</button>
<button name="answer" value="deny" class="second">${say('Do not allow')}</button>
</form>
<p class="quiet">${say(isAskedAgain ? askedAgain : askedOnce, { place: placeOf(redirectUri) })}</p>`,
    }
  }

const askedOnce = 'Either way you go back to {place}. You are not asked again for what you have allowed.'
const askedAgain =
  'Either way you go back to {place}, an address of this device. You are asked each time: another program on it could use the same address.'

/** What a person allows with each scope. */
const meanings: Readonly<Record<string, PlainText>> = {
  openid: 'know that it is you',
  profile: 'see your name and your login',
  email: 'see your mail address',
  'svc.api': 'see and change in your name whatever you can see and change here',
  'svc.grpc': 'do the same through the command interface',
  offline_access: 'stay connected without you, until eight hours after your sign-in',
}

/** Of an app on a device: its scheme. */
function placeOf(address: string): string {
  const { host, protocol } = new URL(address)
  return /^https?:$/.test(protocol) ? host : protocol
}
