import { currentLanguage } from '../texts/language.ts'
import type { Configuration } from './configuration.ts'

/** By whom people may sign in, beside their passwords. */
export interface SignInWays {
  readonly passwords: boolean
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

const passwordsAlone: SignInWays = { passwords: true, providers: [] }

/** A list that cannot be had takes no way away. */
export async function loadSignInWays({ issuer, extensions }: Configuration): Promise<SignInWays> {
  if (!extensions) return passwordsAlone
  const response = await fetch(`${issuer}/ext/providers`).catch(() => undefined)
  return response?.ok ? response.json() : passwordsAlone
}

/** Where the button of a provider leads to. */
export const signInAddress = ({ issuer }: Configuration, provider: string, authRequest: string): string =>
  `${issuer}/ext/sign-in/with?${new URLSearchParams({ provider, authRequest })}`

/** Where somebody who has just signed in connects the account with one there; comes back to the account's page. */
export const connectAddress = ({ issuer }: Configuration, provider: string): string =>
  `${issuer}/ext/connect?${new URLSearchParams({ provider, origin: location.origin, ui_locales: currentLanguage().id })}`
