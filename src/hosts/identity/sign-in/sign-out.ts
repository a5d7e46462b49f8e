import type { Identity } from '../identity.ts'

/** A sign-out that was asked for and checked, on its way through the browser. */
export interface SignOut {
  /** From the identity token that the client sent along; the browser's own comes with its cookie. */
  readonly sessionId: string | undefined
  readonly returnTo: string | undefined
  readonly state: string | undefined
}

/** One redirect away. */
const signOutMilliseconds = 5 * 60_000

export const sealSignOut = ({ seals, now }: Identity, signOut: SignOut): string =>
  seals.seal('logoutId', signOut, now() + signOutMilliseconds)

export const openSignOut = async (
  { seals }: Identity,
  logoutId: string | undefined,
): Promise<Partial<SignOut>> =>
  (logoutId === undefined ? undefined : await seals.open<SignOut>('logoutId', logoutId)) ?? {}
