import { openPendingRequest } from '../authorization/pending-request.ts'
import {
  answering,
  authRequestParameter,
  federatedPage,
  optional,
  providerParameter,
} from '../core/describe.ts'
import { type Endpoint, parseSingle } from '../core/endpoint.ts'
import { signOutReturnPath, startPath } from '../federation/attempts.ts'
import { FederationFailure, recordFailure } from '../federation/failures.ts'
import { leaveForProvider } from '../federation/leave-for-provider.ts'
import { failurePage } from '../federation/pages.ts'
import type { Return } from '../federation/sign-out.ts'
import { outdatedPage, signedOutPage } from '../pages/sign-in.ts'

/** The list changes only with a restart of the host. */
const maxAgeSeconds = 5 * 60

export const listProviders: Endpoint = {
  id: 'ListProviders',
  tag: 'SignIn',
  summary: 'By whom people may sign in, for sign-in pages of clients.',
  description:
    'A page leads to `/ext/sign-in/with?provider={id}&authRequest={the pending request}` by a link: browsers apply the policy of a page to what a form is led on to.',
  method: 'GET',
  path: '/ext/providers',
  ...answering('SignInWays', {
    type: 'object',
    required: ['passwords', 'providers'],
    properties: {
      passwords: { type: 'boolean', description: 'Whether people may sign in by password.' },
      providers: {
        type: 'array',
        maxItems: 10,
        description: 'Outside providers, in the order of the settings.',
        items: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'string', description: 'Its id in the settings.', examples: ['corp'] },
            name: { type: 'string', description: 'As people are shown it.', examples: ['Our company'] },
          },
        },
      },
    },
  }),
  refusals: [],
  handler({ settings, providers }) {
    const body = {
      passwords: settings.passwords,
      providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
    }
    return async () => ({ body, maxAgeSeconds })
  },
}

/** It changes nothing here, so any site may send a browser to it. */
export const signInWith: Endpoint = {
  ...federatedPage,
  id: 'SignInWith',
  summary: 'Leads to an outside provider.',
  description: 'Sign-in pages of clients lead here by a link. Needs a provider in the settings.',
  path: startPath,
  parameters: [providerParameter, authRequestParameter],
  handler: (identity) => async (call) => {
    const { provider: id = '', authRequest } = parseSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    const provider = identity.providers.get(id)
    if (authRequest === undefined || !pending || !provider) return { page: outdatedPage }
    const { prompts, maxAgeSeconds, loginHint, language } = pending.request
    try {
      return await leaveForProvider(identity, provider, call, {
        purpose: { authRequest, language },
        // A request for a new sign-in applies to the provider too.
        prompt: (['login', 'select_account'] as const).find((prompt) => prompts.has(prompt)),
        maxAge: maxAgeSeconds,
        loginHint,
      })
    } catch (error) {
      if (!(error instanceof FederationFailure)) throw error
      recordFailure(identity, provider, call, error.kind, { failure: error })
      return {
        page: failurePage(identity, provider, error.kind, { authRequest }, error.retryAfterSeconds),
        language,
      }
    }
  },
}

/** The state is an address that only this host seals, and only if it is registered. */
export const returnFromSignOut: Endpoint = {
  ...federatedPage,
  id: 'ReturnFromSignOut',
  summary: 'Where a provider sends browsers after its sign-out.',
  description: 'The address after sign-out to register there.',
  path: signOutReturnPath,
  parameters: [optional('state', 'As this host sent it: where the browser goes on to.')],
  page: 'That the sign-in has ended, where there is nothing to go on to.',
  handler:
    (identity) =>
    async ({ parameters }) => {
      const { state = '' } = parseSingle(parameters)
      const back = await identity.seals.open<Return>('outsideReturn', state)
      return back ? { redirectTo: back.returnTo } : { page: signedOutPage() }
    },
}
