import { addressesOf, type Client } from '../clients.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'

export interface SignInPageOptions {
  readonly client: Client
  readonly authRequest: string
  /** The login that the client expects. */
  readonly loginHint?: string | undefined
  /** What came of the attempt before. */
  readonly error: string | undefined
  readonly retryAfter: string | undefined
  /** Where this host's form is posted to. */
  readonly action: string
  /** Where else people may prove who they are. */
  readonly providers: readonly ProviderLink[]
  /** Off: by providers alone. */
  readonly passwords: boolean
  /** Where a passkey alone is enough. */
  readonly passkeyAddress?: string | undefined
  /** Where mails can be sent. */
  readonly forgotAddress?: string | undefined
}

export interface ProviderLink {
  readonly name: string
  readonly address: string
}

export const signInPageOf = (options: SignInPageOptions): Page => {
  const { client, providers, passwords, passkeyAddress, forgotAddress } = options
  return {
    title: 'Sign in',
    leadsTo: addressesOf(client),
    content: html`<p class="quiet">to go on to ${client.registration?.name ?? client.id}</p>
${passwords ? formOf(options) : ''}
${providers.map(({ name, address }) => html`<p><a class="button" href="${address}">Sign in with ${name}</a></p>\n`)}
${passkeyAddress === undefined ? '' : html`<p><a href="${passkeyAddress}">Sign in with a passkey</a></p>`}
${forgotAddress === undefined ? '' : html`<p><a href="${forgotAddress}">Forgot your password?</a></p>`}`,
  }
}

function formOf({ authRequest, loginHint = '', error, retryAfter, action }: SignInPageOptions): Html {
  const problem = problemOf(error, retryAfter)
  const described = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
  return html`<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>Login
<input name="login" value="${loginHint}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required autofocus${described}></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" maxlength="128" required${described}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<button>Sign in</button>
</form>`
}

function problemOf(error: string | undefined, retryAfter = ''): string | undefined {
  if (error === 'locked') return lockedText(retryAfter)
  return error === undefined ? undefined : 'The login or the password is wrong.'
}

export function lockedText(retryAfter = ''): string {
  const minutes = Math.max(1, Math.ceil(Number.parseInt(retryAfter, 10) / 60) || 1)
  return `Too many attempts with this login. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}

/** A request that is too old, or that this host never made. */
export const overPage: Page = {
  title: 'This page is out of date',
  status: 400,
  content: html`<p>Please go back to the app that you came from, and start again there.</p>`,
}
