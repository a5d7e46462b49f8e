import { isMailAddress, queueMail } from '../../../accounts/mail-queue.ts'
import { addressKey } from '../../../http/address-key.ts'
import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { forgotPage, mailedPage } from '../pages/forgot-password.ts'
import { overPage } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { onThisHost, ownAddress, ownOrigin } from '../sign-in/addresses.ts'
import { requireAllowedOrigin } from '../sign-in/require-allowed-origin.ts'

export const forgotPasswordPath = '/ext/forgot-password'

/** Whether a new password can be sent for. */
export const canForget = ({ settings }: Identity): boolean => settings.mail && settings.passwords

/** Asks who has lost the password, for every client. */
export const askForgotten =
  (identity: Identity): Endpoint =>
  async ({ parameters }) => {
    const { authRequest } = readSingle(parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending || !canForget(identity)) return { page: overPage }
    const { settings } = identity
    return {
      page: forgotPage({
        authRequest,
        action: ownAddress(settings, forgotPasswordPath),
        back: onThisHost(settings, '/api/account/login-page', { authRequest }),
      }),
      language: pending.request.language,
    }
  }

/**
 * The same answer after the same work, whether there is such an account or not: the mail is only noted here, and who it is for is
 * found out when it is sent. Too many are told nothing else either.
 */
export const answerForgotten =
  (identity: Identity): Endpoint =>
  async (call) => {
    requireAllowedOrigin([ownOrigin(identity.settings)], call.headers)
    const { login = '', authRequest } = readSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    if (authRequest === undefined || !pending || !canForget(identity)) return { page: overPage }
    const { address, requestId } = call
    const wish = { purpose: 'password', login: login.trim(), address: addressKey(address) } as const
    const isKept =
      isMailAddress(wish.login) &&
      (await identity.database.transaction((transaction) => queueMail(transaction, wish)))
    identity.securityLog({
      event: 'mail-asked',
      outcome: isKept ? 'kept' : 'refused',
      unknownLogin: login,
      ...{ client: pending.request.clientId, address, requestId },
    })
    const back = onThisHost(identity.settings, '/api/account/login-page', { authRequest })
    return { page: mailedPage(back), language: pending.request.language }
  }
