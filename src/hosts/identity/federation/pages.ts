import type { Identity } from '../core/identity.ts'
import { hostPathWithQuery } from '../core/urls.ts'
import { type Html, html } from '../pages/html.ts'
import type { PageTemplate } from '../pages/page.ts'
import type { Translate } from '../pages/texts.ts'
import type { ProviderSettings } from '../values/settings.ts'
import type { FailureKind } from './failures.ts'

/** The target of the link on the page: the sign-in page, or a page of the web client. */
type ReturnTarget = { readonly authRequest: string } | { readonly returnTo: string }

/** The message for each failure; details are only in the log. */
const messages: Readonly<Record<FailureKind, (t: Translate, provider: string) => Html>> = {
  unreachable: (t, provider) => t('{provider} cannot be reached right now. Try again later.', { provider }),
  'refused there': (t, provider) => t('{provider} did not sign you in.', { provider }),
  'code refused': (t, provider) => t('{provider} did not confirm your sign-in. Try again.', { provider }),
  'wrong answer': (t, provider) =>
    t('The response from {provider} is invalid, so you were not signed in. Try again.', { provider }),
  'not asked again': (t, provider) =>
    t(
      'You have to sign in again, but {provider} did not confirm that you did. Sign out there first, or use another way to sign in.',
      { provider },
    ),
  'too many attempts': (t) =>
    t('Too many sign-ins from your network address are in progress. Try again in 15 minutes.'),
  'unknown attempt': (t) => t('This sign-in was started in another browser or has already been used.'),
  'no account': (t, provider) =>
    t(
      'No account here is connected to your {provider} account. If you have one here, sign in another way and connect it on the My account page. Otherwise ask an administrator.',
      { provider },
    ),
  'account closed': (t) => t('Your account here is closed. Ask an administrator.'),
  'login taken': (t, provider) =>
    t(
      'There is already an account with your email address here. Sign in to it another way, and connect it to {provider} on the My account page.',
      { provider },
    ),
  'too many identities': (t) =>
    t('Your account has reached the limit of connected accounts. Disconnect one first.'),
  'other session': (t) => t('Another user has signed in on this browser in the meantime. Start again.'),
  'connected elsewhere': (t, provider) =>
    t('This {provider} account is already connected to another account here.', { provider }),
}

/** 400 unless listed here. */
const statuses: Partial<Readonly<Record<FailureKind, number>>> = {
  'no account': 403,
  'account closed': 403,
  'login taken': 403,
  'too many attempts': 429,
}

export const failurePage = (
  { settings }: Pick<Identity, 'settings'>,
  { name }: Pick<ProviderSettings, 'name'>,
  kind: FailureKind,
  back: ReturnTarget,
  retryAfterSeconds?: number,
): PageTemplate => {
  const url =
    'returnTo' in back
      ? back.returnTo
      : hostPathWithQuery(settings, '/api/account/login-page', { authRequest: back.authRequest })
  return (t) => ({
    title: t('Signing in with {provider} failed', { provider: name }),
    status: statuses[kind] ?? 400,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    content: html`<p role="alert">${messages[kind](t, name)}</p>
<p><a href="${url}">${t('Back')}</a></p>`,
  })
}

export const signInAgainPage =
  ({ name }: Pick<ProviderSettings, 'name'>, returnTo: string): PageTemplate =>
  (t) => ({
    title: t('Sign in again'),
    status: 403,
    content: html`<p role="alert">${t('To connect {provider}, sign in again first: your last sign-in was too long ago, or in another browser.', { provider: name })}</p>
<p><a href="${returnTo}">${t('Back to your account')}</a></p>`,
  })

export interface ConnectPageOptions {
  readonly label: string
  readonly user: { readonly name: string; readonly login: string }
  readonly returnTo: string
  readonly proof: string
  readonly action: string
}

export const connectPage =
  (
    { name }: Pick<ProviderSettings, 'name'>,
    { label, user, returnTo, proof, action }: ConnectPageOptions,
  ): PageTemplate =>
  (t) => ({
    title: t('Connect {provider}?', { provider: name }),
    formRedirects: [returnTo],
    content: html`<p>${t(
      'Anyone who signs in at {provider} as {label} will be signed in here as {user}. Continue only if both accounts are yours.',
      {
        provider: name,
        label: html`<strong>${label}</strong>`,
        user: html`<strong>${user.name} (${user.login})</strong>`,
      },
    )}</p>
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<button>${t('Connect')}</button>
</form>
<p><a href="${returnTo}">${t('Do not connect')}</a></p>`,
  })

/** The page continues automatically to the sign-out at the provider. */
export const providerSignOutPage =
  ({ name }: Pick<ProviderSettings, 'name'>, url: string): PageTemplate =>
  (t) => ({
    title: t('You are signed out here'),
    refreshesTo: url,
    content: html`<p><a href="${url}">${t('Sign out of {provider}, too', { provider: name })}</a></p>`,
  })
