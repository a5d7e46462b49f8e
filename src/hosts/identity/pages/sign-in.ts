import { addressesOf, type Client } from '../values/clients.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import type { Say } from './texts.ts'

export interface SignInPageOptions {
  readonly client: Client
  readonly authRequest: string
  /** The login that the client expects. */
  readonly loginHint?: string | undefined
  /** The outcome of the previous attempt. */
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  /** The path of this host to which the form is posted. */
  readonly action: string
  /** External providers that users can sign in with. */
  readonly providers: readonly ProviderLink[]
  /** False if users sign in only with providers. */
  readonly passwords: boolean
  /** Present if a passkey alone is sufficient. */
  readonly passkeyAddress?: string | undefined
  /** Present if mails can be sent. */
  readonly forgotPasswordAddress?: string | undefined
}

export interface ProviderLink {
  readonly name: string
  readonly address: string
}

export const signInPageOf =
  (options: SignInPageOptions): Page =>
  (say) => {
    const { client, providers, passwords, passkeyAddress, forgotPasswordAddress } = options
    return {
      title: say('Sign in'),
      leadsTo: addressesOf(client),
      content: html`<p class="quiet">${say('to continue to {client}', { client: client.registration?.name ?? client.id })}</p>
${passwords ? formOf(say, options) : ''}
${providers.map(({ name, address }) => html`<p><a class="button" href="${address}">${say('Sign in with {provider}', { provider: name })}</a></p>\n`)}
${passkeyAddress === undefined ? '' : html`<p><a href="${passkeyAddress}">${say('Sign in with a passkey')}</a></p>`}
${forgotPasswordAddress === undefined ? '' : html`<p><a href="${forgotPasswordAddress}">${say('Forgot your password?')}</a></p>`}`,
    }
  }

function formOf(
  say: Say,
  { authRequest, loginHint = '', error, retryAfter, action }: SignInPageOptions,
): Html {
  const problem = problemOf(say, error, retryAfter)
  const described = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
  return html`<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>${say('Login')}
<input name="login" value="${loginHint}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required autofocus${described}></label>
<label>${say('Password')}
<input name="password" type="password" autocomplete="current-password" maxlength="128" required${described}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<button>${say('Sign in')}</button>
</form>`
}

function problemOf(say: Say, error: string | undefined, retryAfter = ''): Html | undefined {
  if (error === 'locked') return lockedText(say, retryAfter)
  return error === undefined ? undefined : say('The login or the password is wrong.')
}

export function lockedText(say: Say, retryAfter = ''): Html {
  const minutes = Math.ceil(Number.parseInt(retryAfter, 10) / 60) || 1
  return minutes <= 1
    ? say('Too many attempts with this login. Try again in a minute.')
    : say('Too many attempts with this login. Try again in {minutes} minutes.', { minutes: String(minutes) })
}

/** Shown for a request that is too old, or that this host never made. */
export const outdatedPage: Page = (say) => ({
  title: say('This page has expired'),
  status: 400,
  content: html`<p>${say('Go back to the app you came from and start again there.')}</p>`,
})

export const signOutPage =
  (client: Client | undefined, logoutId: string, action: string): Page =>
  (say) => ({
    title: say('Sign out?'),
    ...(client && { leadsTo: addressesOf(client) }),
    content: html`<p>${say('This signs you out of every app that you use with this account in this browser. If you did not request it, close this page.')}</p>
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
  'The app requested a redirect to an address that is not registered for it, so you stay on this page.'
