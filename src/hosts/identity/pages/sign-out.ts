import { addressesOf, type Client } from '../clients.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'

export const signOutPage =
  (client: Client | undefined, logoutId: string, action: string): Page =>
  (say) => ({
    title: say('Sign out?'),
    ...(client && { leadsTo: addressesOf(client) }),
    content: html`<p>${say('This ends your sign-in in every app that you use with it in this browser. If you did not ask for it, close this page.')}</p>
<form method="post" action="${action}">
<input type="hidden" name="logoutId" value="${logoutId}">
<button>${say('Sign out')}</button>
</form>`,
  })

export const signedOutPage =
  ({ isAddressUnknown = false } = {}): Page =>
  (say) => ({
    title: say('You are signed out'),
    content: html`${isAddressUnknown ? html`<p>${say(addressUnknown)}</p>` : ''}
<p>${say('You can close this page.')}</p>`,
  })

const addressUnknown =
  'The app wanted to go on to an address that is not registered for it, so you stay on this page.'
