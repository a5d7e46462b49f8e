import type { Identity } from '../identity.ts'
import { outsidePage } from '../pages/outside.ts'
import { overPage } from '../pages/sign-in.ts'
import { readSingle } from '../parameters.ts'
import type { Answer, Call, Endpoint } from '../route.ts'
import { type Attempt, takeAttempt } from './attempts.ts'
import { askToConnect } from './connect.ts'
import { noteRefusal, OutsideFailure } from './failures.ts'
import { browserOf } from './leave-for-provider.ts'
import type { OutsideProvider } from './open-providers.ts'
import { type OutsidePerson, redeemOutside } from './outside-person.ts'
import { callbackAddress } from './paths.ts'
import { signInOutside } from './sign-in-outside.ts'

/** Where the browser comes back to from this provider. */
export const callbackOf =
  (identity: Identity, provider: OutsideProvider): Endpoint =>
  async (call) => {
    const { state = '' } = readSingle(call.parameters)
    const attempt = await takeOwnAttempt(identity, provider, call, state)
    if (attempt === undefined) {
      noteRefusal(identity, provider, call, 'unknown attempt')
      return { page: overPage }
    }
    try {
      const person = await redeemOutside(
        provider,
        callbackOfCall(identity, provider, call),
        state,
        attempt,
        identity.now(),
      )
      return await goOn(identity, provider, call, attempt, person)
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      noteRefusal(identity, provider, call, error.refusal, { failure: error })
      return {
        page: outsidePage(identity, provider, error.refusal, attempt.purpose),
        language: attempt.purpose.language,
      }
    }
  }

/** Begun in this very browser, for this very provider, and not used before. */
async function takeOwnAttempt(
  identity: Identity,
  provider: OutsideProvider,
  { headers }: Call,
  state: string,
): Promise<Attempt | undefined> {
  const browser = browserOf(identity, headers)
  if (state === '' || browser === undefined) return undefined
  const attempt = await takeAttempt(identity, state)
  return attempt?.browser === browser && attempt.providerId === provider.id ? attempt : undefined
}

/** The address that the provider was given, under whatever name the browser called this host. */
function callbackOfCall({ settings }: Identity, { id }: OutsideProvider, { parameters }: Call): URL {
  const url = new URL(callbackAddress(settings, id))
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value ?? []].flat()) url.searchParams.append(name, one)
  return url
}

const goOn = (
  identity: Identity,
  provider: OutsideProvider,
  call: Call,
  { purpose }: Attempt,
  person: OutsidePerson,
): Promise<Answer> =>
  'authRequest' in purpose
    ? signInOutside(identity, provider, call, purpose, person)
    : askToConnect(identity, provider, call, purpose, person)
