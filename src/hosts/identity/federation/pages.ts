import { onThisHost } from '../core/addresses.ts'
import type { Identity } from '../core/identity.ts'
import { type Html, html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import type { Say } from '../pages/texts.ts'
import type { ProviderSettings } from '../values/settings.ts'
import type { FailureKind } from './failures.ts'

/** After a failed federated sign-in, a link leads to the sign-in page or back to the web client. */
type Back = { readonly authRequest: string } | { readonly returnTo: string }

/** A message for each failure. Further details in the log are for operators. */
const sentences: Readonly<Record<FailureKind, (say: Say, provider: string) => Html>> = {
  unreachable: (say, provider) =>
    say('{provider} cannot be reached at the moment. Try again in a while.', { provider }),
  'refused there': (say, provider) => say('{provider} did not sign you in.', { provider }),
  'code refused': (say, provider) => say('{provider} did not confirm your sign-in. Try again.', { provider }),
  'wrong answer': (say, provider) =>
    say('The response of {provider} is invalid, so you were not signed in. Try again.', { provider }),
  'not asked again': (say, provider) =>
    say(
      'You have to sign in again, but {provider} did not confirm that you did. Sign out there first, or sign in another way.',
      { provider },
    ),
  'too many attempts': (say) =>
    say('Too many sign-ins from your network address are in progress. Try again in 15 minutes.'),
  'unknown attempt': (say) => say('This sign-in was started in another browser or has already been used.'),
  'no account': (say, provider) =>
    say(
      'No account here is connected to yours at {provider}. If you have one, sign in another way and connect it on the page My account; otherwise ask an administrator.',
      { provider },
    ),
  'account closed': (say) => say('Your account here is closed. Ask an administrator.'),
  'login taken': (say, provider) =>
    say(
      'There already is an account with your address here. Sign in to it another way, and connect it to {provider} on the page My account.',
      { provider },
    ),
  'too many identities': (say) =>
    say('Your account has reached the limit of connected accounts. Disconnect one first.'),
  'other session': (say) => say('Another user has signed in in this browser in the meantime. Start again.'),
  'connected elsewhere': (say, provider) =>
    say('This {provider} account is already connected to another account here.', { provider }),
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
  back: Back,
  retryAfterSeconds?: number,
): Page => {
  const address =
    'returnTo' in back
      ? back.returnTo
      : onThisHost(settings, '/api/account/login-page', { authRequest: back.authRequest })
  return (say) => ({
    title: say('Signing in with {provider} failed', { provider: name }),
    status: statuses[kind] ?? 400,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    content: html`<p role="alert">${sentences[kind](say, name)}</p>
<p><a href="${address}">${say('Back')}</a></p>`,
  })
}

export const signInAgainPage =
  ({ name }: Pick<ProviderSettings, 'name'>, returnTo: string): Page =>
  (say) => ({
    title: say('Sign in again'),
    status: 403,
    content: html`<p role="alert">${say('To connect {provider}, sign in again first: your last sign-in was too long ago, or in another browser.', { provider: name })}</p>
<p><a href="${returnTo}">${say('Back to your account')}</a></p>`,
  })

export interface ConnectPageOptions {
  readonly label: string
  readonly person: { readonly name: string; readonly login: string }
  readonly returnTo: string
  readonly proof: string
  readonly action: string
}

export const connectPage =
  (
    { name }: Pick<ProviderSettings, 'name'>,
    { label, person, returnTo, proof, action }: ConnectPageOptions,
  ): Page =>
  (say) => ({
    title: say('Connect {provider}?', { provider: name }),
    leadsTo: [returnTo],
    content: html`<p>${say(
      'Anyone who signs in at {provider} as {label} will be signed in here as {person}. Continue only if both are you.',
      {
        provider: name,
        label: html`<strong>${label}</strong>`,
        person: html`<strong>${person.name} (${person.login})</strong>`,
      },
    )}</p>
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<button>${say('Connect')}</button>
</form>
<p><a href="${returnTo}">${say('Do not connect')}</a></p>`,
  })

/** Continues automatically to the sign-out at the provider. */
export const leavingPage =
  ({ name }: Pick<ProviderSettings, 'name'>, address: string): Page =>
  (say) => ({
    title: say('You are signed out here'),
    goesTo: address,
    content: html`<p><a href="${address}">${say('Sign out of {provider}, too', { provider: name })}</a></p>`,
  })
