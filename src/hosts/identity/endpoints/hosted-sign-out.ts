import { languageAmong } from '../../../model/language.ts'
import type { Identity } from '../identity.ts'
import { signedOutPage, signOutPage } from '../pages/sign-out.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { hostedSignOutPath, ownAddress, unknownAddress } from '../sign-in/addresses.ts'
import { openSignOut } from '../sign-in/sign-out.ts'

/** Asks whether to sign out, for clients that have no page of their own. */
export const hostedSignOut =
  (identity: Identity): Endpoint =>
  async ({ parameters }) => {
    const { logoutId = '' } = readSingle(parameters)
    const { clientId = '', language } = await openSignOut(identity, logoutId)
    const action = ownAddress(identity.settings, hostedSignOutPath)
    return { page: signOutPage(identity.clients.get(clientId), logoutId, action), language }
  }

export const signedOut =
  (): Endpoint =>
  async ({ parameters }) => {
    const { reason, ui_locales: locales } = readSingle(parameters)
    return {
      page: signedOutPage({ isAddressUnknown: reason === unknownAddress }),
      language: languageAmong(locales),
    }
  }
