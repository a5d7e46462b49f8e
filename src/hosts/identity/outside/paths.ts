import type { IdentitySettings } from '../configuration.ts'

export const startPath = '/ext/sign-in/with'
export const connectPath = '/ext/connect'
/** Where a provider sends browsers after its own sign-out. */
export const outsideReturnPath = '/ext/signed-out/return'

/** An address for each provider, so that the answer of one is never taken for that of another (RFC 9700, 4.4.2). */
export const callbackPath = (providerId: string): string => `/ext/sign-in/from/${providerId}`

/** As it is registered at the provider. */
export const callbackAddress = ({ issuer }: Pick<IdentitySettings, 'issuer'>, providerId: string): string =>
  `${issuer}${callbackPath(providerId)}`
