import { openPendingRequest } from '../authorization/pending-request.ts'
import type { Identity } from '../identity.ts'
import { outsidePage } from '../pages/outside.ts'
import { overPage } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { noteRefusal, OutsideFailure } from './failures.ts'
import { leaveForProvider } from './leave-for-provider.ts'

/** What the button of a sign-in page leads to. It changes nothing here, so any site may send a browser to it. */
export const signInWith =
  (identity: Identity): Endpoint =>
  async (call) => {
    const { provider: id = '', authRequest } = readSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    const provider = identity.providers.get(id)
    if (authRequest === undefined || !pending || !provider) return { page: overPage }
    const { prompts, maxAgeSeconds, loginHint, language } = pending.request
    try {
      return await leaveForProvider(identity, provider, call, {
        purpose: { authRequest, language },
        // Who wants the person to be asked again means there, too.
        prompt: (['login', 'select_account'] as const).find((prompt) => prompts.has(prompt)),
        maxAge: maxAgeSeconds,
        loginHint,
      })
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      noteRefusal(identity, provider, call, error.refusal, { failure: error })
      return {
        page: outsidePage(identity, provider, error.refusal, { authRequest }, error.retryAfterSeconds),
        language,
      }
    }
  }
