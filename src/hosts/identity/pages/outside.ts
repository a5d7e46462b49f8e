import type { Identity } from '../identity.ts'
import type { OutsideRefusal } from '../outside/failures.ts'
import type { ProviderSettings } from '../outside/read-providers.ts'
import { onThisHost } from '../sign-in/addresses.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'

/** Where somebody goes on whose way by a provider ended: to the sign-in page, or back to the web client. */
type Back = { readonly authRequest: string } | { readonly returnTo: string }

/** A sentence for each. What the log says beyond it is for the people who run the service. */
const sentences: Readonly<Record<OutsideRefusal, (name: string) => string>> = {
  unreachable: (name) => `${name} cannot be reached at the moment. Try again in a while.`,
  'refused there': (name) => `${name} has not signed you in.`,
  'code refused': (name) => `${name} has not confirmed your sign-in. Try again.`,
  'wrong answer': (name) => `What ${name} answered does not hold, so you were not signed in. Try again.`,
  'not asked again': (name) =>
    `You have to sign in anew, and ${name} has not said that you did. Sign out there first, or sign in in another way.`,
  'too many attempts': () =>
    'Too many sign-ins from your address are under way. Try again in a quarter of an hour.',
  'unknown attempt': () => 'This sign-in was not begun in this browser, or has been used.',
  'no account': (name) =>
    `No account here belongs to yours at ${name}. If you have one, sign in to it in another way and connect it on the page My account; otherwise ask an administrator.`,
  'account closed': () => 'Your account here is closed. Ask an administrator.',
  'login taken': (name) =>
    `There is an account here with your address. Sign in to it in another way, and connect it with ${name} on the page My account.`,
  'too many identities': () =>
    'Your account is connected with as many others as it can be. Disconnect one first.',
  'other session': () => 'Somebody else has signed in in this browser meanwhile. Start again.',
  'connected elsewhere': (name) => `This account of ${name} is connected with somebody else’s account here.`,
}

/** 400 where nothing is said. */
const statuses: Partial<Readonly<Record<OutsideRefusal, number>>> = {
  'no account': 403,
  'account closed': 403,
  'login taken': 403,
  'too many attempts': 429,
}

export const outsidePage = (
  { settings }: Pick<Identity, 'settings'>,
  { name }: Pick<ProviderSettings, 'name'>,
  refusal: OutsideRefusal,
  back: Back,
  retryAfterSeconds?: number,
): Page => {
  const address =
    'returnTo' in back
      ? back.returnTo
      : onThisHost(settings, '/api/account/login-page', { authRequest: back.authRequest })
  return {
    title: `${name} did not work`,
    status: statuses[refusal] ?? 400,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    content: html`<p role="alert">${sentences[refusal](name)}</p>
<p><a href="${address}">Back</a></p>`,
  }
}

export const signInAgainPage = ({ name }: Pick<ProviderSettings, 'name'>, returnTo: string): Page => ({
  title: 'Sign in once more',
  status: 403,
  content: html`<p role="alert">To connect ${name}, sign in again first: that was too long ago, or not in this browser.</p>
<p><a href="${returnTo}">Back to your account</a></p>`,
})

export interface ConnectPageOptions {
  readonly label: string
  readonly person: { readonly name: string; readonly login: string }
  readonly returnTo: string
  readonly proof: string
  readonly action: string
}

export const connectPage = (
  { name }: Pick<ProviderSettings, 'name'>,
  { label, person, returnTo, proof, action }: ConnectPageOptions,
): Page => ({
  title: `Connect ${name}?`,
  leadsTo: [returnTo],
  content: html`<p>Whoever signs in at ${name} as <strong>${label}</strong> will be signed in here as <strong>${person.name} (${person.login})</strong>. Go on only if both are you.</p>
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<button>Connect</button>
</form>
<p><a href="${returnTo}">Do not connect</a></p>`,
})

/** Goes on by itself, to the sign-out at the provider. */
export const leavingPage = ({ name }: Pick<ProviderSettings, 'name'>, address: string): Page => ({
  title: 'You are signed out here',
  goesTo: address,
  content: html`<p><a href="${address}">Sign out of ${name}, too</a></p>`,
})
