import { type Client, redirectUrlsOf } from '../values/clients.ts'
import { type Html, html } from './html.ts'
import type { PageTemplate } from './page.ts'
import type { Translate } from './texts.ts'

interface SignInPageOptions {
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
  /** Present if users can sign in with a passkey alone. */
  readonly passkeyUrl?: string | undefined
  /** Present if mails can be sent. */
  readonly forgotPasswordUrl?: string | undefined
}

export interface ProviderLink {
  readonly name: string
  readonly url: string
}

export const signInPage =
  (options: SignInPageOptions): PageTemplate =>
  (t) => {
    const { client, providers, passwords, passkeyUrl, forgotPasswordUrl } = options
    return {
      title: t('Sign in'),
      formRedirects: redirectUrlsOf(client),
      content: html`<p class="quiet">${t('to continue to {client}', { client: client.registration?.name ?? client.id })}</p>
${passwords ? passwordForm(t, options) : ''}
${providers.map(({ name, url }) => html`<p><a class="button" href="${url}">${t('Sign in with {provider}', { provider: name })}</a></p>\n`)}
${passkeyUrl === undefined ? '' : html`<p><a href="${passkeyUrl}">${t('Sign in with a passkey')}</a></p>`}
${forgotPasswordUrl === undefined ? '' : html`<p><a href="${forgotPasswordUrl}">${t('Forgot your password?')}</a></p>`}`,
    }
  }

function passwordForm(
  t: Translate,
  { authRequest, loginHint = '', error, retryAfter, action }: SignInPageOptions,
): Html {
  const problem = problemOf(t, error, retryAfter)
  const inputAttributes = problem === undefined ? '' : html` aria-describedby="problem" aria-invalid="true"`
  return html`<form method="post" action="${action}">
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label>${t('Login')}
<input name="login" value="${loginHint}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required autofocus${inputAttributes}></label>
<label>${t('Password')}
<input name="password" type="password" autocomplete="current-password" maxlength="128" required${inputAttributes}></label>
<input type="hidden" name="authRequest" value="${authRequest}">
<button>${t('Sign in')}</button>
</form>`
}

function problemOf(t: Translate, error: string | undefined, retryAfter = ''): Html | undefined {
  if (error === 'locked') return lockedText(t, retryAfter)
  return error === undefined ? undefined : t('The login or the password is wrong.')
}

export function lockedText(t: Translate, retryAfter = ''): Html {
  const minutes = Math.ceil(Number.parseInt(retryAfter, 10) / 60) || 1
  return minutes <= 1
    ? t('Too many attempts with this login. Try again in a minute.')
    : t('Too many attempts with this login. Try again in {minutes} minutes.', { minutes: String(minutes) })
}

/** Shown for a request that has expired, or that this host did not create. */
export const outdatedPage: PageTemplate = (t) => ({
  title: t('This page has expired'),
  status: 400,
  content: html`<p>${t('Go back to the app you came from and start again there.')}</p>`,
})

export const signOutPage =
  (client: Client | undefined, logoutId: string, action: string): PageTemplate =>
  (t) => ({
    title: t('Sign out?'),
    ...(client && { formRedirects: redirectUrlsOf(client) }),
    content: html`<p>${t('This signs you out of every app that you use with this account in this browser. If you did not request it, close this page.')}</p>
<form method="post" action="${action}">
<input type="hidden" name="logoutId" value="${logoutId}">
<button>${t('Sign out')}</button>
</form>`,
  })

export const signedOutPage =
  ({ isAddressUnknown = false } = {}): PageTemplate =>
  (t) => ({
    title: t('You are signed out'),
    content: html`${isAddressUnknown ? html`<p>${t(unregisteredAddressText)}</p>` : ''}
<p>${t('You can close this page.')}</p>`,
  })

const unregisteredAddressText =
  'The app requested a redirect to an address that is not registered for it, so you stay on this page.'
