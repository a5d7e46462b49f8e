import { errorOf } from '#tracker-client'
import type { Configuration } from '../session/configuration.ts'
import type { Session } from '../session/session.ts'
import { t } from '../texts/text.ts'
import { inUsersWords, unreachable } from './problems.ts'

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** The second factors of the user's own account. */
export interface OwnFactors {
  readonly appSince: string | null
  readonly recoveryCodesLeft: number
  readonly passkeys: readonly Passkey[]
  readonly isRequired: boolean
  /** The domain where passkeys work; null: none. */
  readonly passkeyDomain: string | null
}

/** The secret for an authenticator app, which becomes valid once a code was entered. */
export interface AppOffer {
  readonly offer: string
  readonly secret: string
  readonly address: string
  /** The dark squares of the QR code, as the path of an SVG. */
  readonly picture: { readonly side: number; readonly path: string }
}

/** Shown once; null where some exist already. */
export interface MadeCodes {
  readonly recoveryCodes: readonly string[] | null
}

/** The session is too old for this change: the user has to sign in again first. */
export class StaleSignInError extends Error {
  constructor() {
    super(t('Sign in again to change how you sign in.'))
  }
}

/** Credentials, which the provider itself stores. Part of the extensions. */
export interface Factors {
  own(): Promise<OwnFactors>
  offerApp(): Promise<AppOffer>
  confirmApp(offer: string, code: string): Promise<MadeCodes>
  removeApp(): Promise<void>
  addPasskey(name: string): Promise<MadeCodes>
  renamePasskey(id: string, name: string): Promise<void>
  removePasskey(id: string): Promise<void>
  makeRecoveryCodes(): Promise<MadeCodes>
  hasFactor(userId: string): Promise<boolean>
  takeAway(userId: string): Promise<void>
}

type Form = Readonly<Record<string, string>>

export function createFactors({ issuer }: Configuration, session: Session): Factors {
  const ask = async (path: string, form?: Form) => {
    const response = await fetch(`${issuer}/ext/factors${path}`, {
      headers: { authorization: `Bearer ${await session.accessToken()}` },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    }).catch((error: unknown) => {
      throw unreachable(error)
    })
    if (response.ok) return response.json()
    const { error } = await response
      .clone()
      .json()
      .catch(() => ({}))
    throw error === 'insufficient_user_authentication'
      ? new StaleSignInError()
      : inUsersWords(await errorOf(response))
  }
  return {
    own: () => ask(''),
    offerApp: () => ask('/app', {}),
    confirmApp: (offer, code) => ask('/app/confirm', { offer, code }),
    removeApp: () => ask('/app/remove', {}),
    async addPasskey(name) {
      const { options, challenge } = await ask('/passkey-options', {})
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const made = await navigator.credentials.create({ publicKey })
      const credential = JSON.stringify((made as PublicKeyCredential).toJSON())
      return ask('/passkeys', { challenge, credential, name })
    },
    renamePasskey: (id, name) => ask('/passkeys/rename', { id, name }),
    removePasskey: (id) => ask('/passkeys/remove', { id }),
    makeRecoveryCodes: () => ask('/recovery-codes', {}),
    hasFactor: async (userId) => (await ask(`?${new URLSearchParams({ userId })}`)).hasFactor,
    takeAway: (userId) => ask('/take-away', { userId }),
  }
}

/** Returns whether this browser can create a passkey that works at this address. */
export const canMakePasskey = (domain: string | null): boolean =>
  domain !== null &&
  (location.hostname === domain || location.hostname.endsWith(`.${domain}`)) &&
  'PublicKeyCredential' in window &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential
