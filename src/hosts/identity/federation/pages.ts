import { onThisHost } from '../core/addresses.ts'
import type { Identity } from '../core/identity.ts'
import { type Html, html } from '../pages/html.ts'
import type { Page } from '../pages/page.ts'
import type { Say } from '../pages/texts.ts'
import type { ProviderSettings } from '../values/settings.ts'
import type { FailureKind } from './failures.ts'

/** A failed federated sign-in goes on to the sign-in page, or back to the web client. */
type Back = { readonly authRequest: string } | { readonly returnTo: string }

/** A sentence for each. What the log says beyond it is for the people who run the service. */
const sentences: Readonly<Record<FailureKind, (say: Say, provider: string) => Html>> = {
  unreachable: (say, provider) =>
    say('{provider} cannot be reached at the moment. Try again in a while.', { provider }),
  'refused there': (say, provider) => say('{provider} has not signed you in.', { provider }),
  'code refused': (say, provider) =>
    say('{provider} has not confirmed your sign-in. Try again.', { provider }),
  'wrong answer': (say, provider) =>
    say('What {provider} answered does not hold, so you were not signed in. Try again.', { provider }),
  'not asked again': (say, provider) =>
    say(
      'You have to sign in anew, and {provider} has not said that you did. Sign out there first, or sign in in another way.',
      { provider },
    ),
  'too many attempts': (say) =>
    say('Too many sign-ins from your address are under way. Try again in a quarter of an hour.'),
  'unknown attempt': (say) => say('This sign-in was not begun in this browser, or has been used.'),
  'no account': (say, provider) =>
    say(
      'No account here belongs to yours at {provider}. If you have one, sign in to it in another way and connect it on the page My account; otherwise ask an administrator.',
      { provider },
    ),
  'account closed': (say) => say('Your account here is closed. Ask an administrator.'),
  'login taken': (say, provider) =>
    say(
      'There is an account here with your address. Sign in to it in another way, and connect it with {provider} on the page My account.',
      { provider },
    ),
  'too many identities': (say) =>
    say('Your account is connected with as many others as it can be. Disconnect one first.'),
  'other session': (say) => say('Somebody else has signed in in this browser meanwhile. Start again.'),
  'connected elsewhere': (say, provider) =>
    say('This account of {provider} is connected with somebody else’s account here.', { provider }),
}

/** 400 where nothing is said. */
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
    title: say('{provider} did not work', { provider: name }),
    status: statuses[kind] ?? 400,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    content: html`<p role="alert">${sentences[kind](say, name)}</p>
<p><a href="${address}">${say('Back')}</a></p>`,
  })
}

export const signInAgainPage =
  ({ name }: Pick<ProviderSettings, 'name'>, returnTo: string): Page =>
  (say) => ({
    title: say('Sign in once more'),
    status: 403,
    content: html`<p role="alert">${say('To connect {provider}, sign in again first: that was too long ago, or not in this browser.', { provider: name })}</p>
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
      'Whoever signs in at {provider} as {label} will be signed in here as {person}. Go on only if both are you.',
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

/** Goes on by itself, to the sign-out at the provider. */
export const leavingPage =
  ({ name }: Pick<ProviderSettings, 'name'>, address: string): Page =>
  (say) => ({
    title: say('You are signed out here'),
    goesTo: address,
    content: html`<p><a href="${address}">${say('Sign out of {provider}, too', { provider: name })}</a></p>`,
  })
