import { errorOf } from '#tracker-client'
import type { Configuration } from '../session/configuration.ts'
import type { Session } from '../session/session.ts'
import { t } from '../texts/text.ts'
import { outageError, translateError } from './problems.ts'

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
  /** The domain where passkeys work. Null if they do not. */
  readonly passkeyDomain: string | null
}

/** The secret for an authenticator app. It becomes valid when the user has entered a code. */
export interface AppOffer {
  /** The sealed secret, which is sent back with the code. */
  readonly offer: string
  readonly secret: string
  /** The `otpauth:` URL in the QR code. */
  readonly address: string
  /** The dark squares of the QR code, as the path of an SVG. */
  readonly picture: { readonly side: number; readonly path: string }
}

/** The codes are shown once. Null if the user already has some. */
export interface CreatedCodes {
  readonly recoveryCodes: readonly string[] | null
}

/** The sign-in is too long ago for this change, so the user has to sign in again. */
export class StaleSignInError extends Error {
  constructor() {
    super(t('Sign in again to change how you sign in.'))
  }
}

/** The second factors, which the identity provider stores. They require the extensions. */
export interface Factors {
  readOwn(): Promise<OwnFactors>
  offerApp(): Promise<AppOffer>
  confirmApp(offer: string, code: string): Promise<CreatedCodes>
  removeApp(): Promise<void>
  addPasskey(name: string): Promise<CreatedCodes>
  renamePasskey(id: string, name: string): Promise<void>
  removePasskey(id: string): Promise<void>
  createRecoveryCodes(): Promise<CreatedCodes>
  /** Removes all second factors of another account. For administrators. */
  resetFactors(userId: string): Promise<void>
}

/** An account as administrators see it. */
export interface AccountOverview {
  readonly userId: string
  readonly isAdministrator: boolean
  /** True if the account was granted the role. Administrators named in the settings do not need it. */
  readonly hasRole: boolean
  readonly isDeactivated: boolean
  readonly hasFactor: boolean
  readonly mustHaveFactor: boolean
  readonly lastSignInAt: string | null
}

export interface SignInPolicy {
  readonly rules: readonly {
    readonly name: string
    readonly value: string | number | boolean | null
    readonly setting: string
  }[]
  readonly providers: readonly {
    readonly id: string
    readonly name: string
    readonly issuer: string
    readonly createAccounts: boolean
    readonly linkByVerifiedEmail: boolean
    readonly setting: string
  }[]
}

/** Operations of the identity provider for administrators. Part of the extensions. */
interface IdentityAdministration {
  /** Returns up to 100 accounts. */
  listAccounts(ids: readonly string[]): Promise<readonly AccountOverview[]>
  readPolicy(): Promise<SignInPolicy>
}

export function createIdentityAdministration(
  configuration: Configuration,
  session: Session,
): IdentityAdministration {
  const request = createRequest(configuration, session)
  return {
    listAccounts: async (ids) =>
      (await request(`/ext/accounts?${new URLSearchParams({ ids: ids.join() })}`)).accounts,
    readPolicy: () => request('/ext/sign-in-policy'),
  }
}

type Form = Readonly<Record<string, string>>

/** Returns a function that sends requests to the provider with the access token of the session. */
const createRequest =
  ({ issuer }: Configuration, session: Session) =>
  async (path: string, form?: Form) => {
    const response = await fetch(`${issuer}${path}`, {
      headers: { authorization: `Bearer ${await session.accessToken()}` },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    }).catch((error: unknown) => {
      throw outageError(error)
    })
    if (response.ok) return response.json()
    // The response is cloned, because `errorOf` reads the body, too. A proxy may respond without JSON.
    const { error } = await response
      .clone()
      .json()
      .catch(() => ({}))
    throw error === 'insufficient_user_authentication'
      ? new StaleSignInError()
      : translateError(await errorOf(response))
  }

export function createFactors(configuration: Configuration, session: Session): Factors {
  const send = createRequest(configuration, session)
  const request = (path: string, form?: Form) => send(`/ext/factors${path}`, form)
  return {
    readOwn: () => request(''),
    offerApp: () => request('/app', {}),
    confirmApp: (offer, code) => request('/app/confirm', { offer, code }),
    removeApp: () => request('/app/remove', {}),
    async addPasskey(name) {
      const { options, challenge } = await request('/passkey-options', {})
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const created = await navigator.credentials.create({ publicKey })
      const credential = JSON.stringify((created as PublicKeyCredential).toJSON())
      return request('/passkeys', { challenge, credential, name })
    },
    renamePasskey: (id, name) => request('/passkeys/rename', { id, name }),
    removePasskey: (id) => request('/passkeys/remove', { id }),
    createRecoveryCodes: () => request('/recovery-codes', {}),
    resetFactors: (userId) => request('/take-away', { userId }),
  }
}

/** Returns whether this browser can create a passkey that works at this address. */
export const canCreatePasskey = (domain: string | null): boolean =>
  domain !== null &&
  (location.hostname === domain || location.hostname.endsWith(`.${domain}`)) &&
  'PublicKeyCredential' in window &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential
