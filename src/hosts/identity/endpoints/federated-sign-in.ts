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
import { FederationError, recordFailure } from '../federation/failures.ts'
import { failurePage } from '../federation/pages.ts'
import { redirectToProvider } from '../federation/redirect-to-provider.ts'
import type { Return } from '../federation/sign-out.ts'
import { outdatedPage, signedOutPage } from '../pages/sign-in.ts'

/** The list changes only with a restart of the host. */
const maxAgeSeconds = 5 * 60

export const listProviders: Endpoint = {
  id: 'ListProviders',
  tag: 'SignIn',
  summary: 'Lists the ways to sign in, for sign-in pages of clients.',
  description:
    'A page must link to `/ext/sign-in/with?provider={id}&authRequest={the pending request}` and not post a form: browsers apply the policy of a page to redirects of its forms.',
  method: 'GET',
  path: '/ext/providers',
  ...answering('SignInWays', {
    type: 'object',
    required: ['passwords', 'providers'],
    properties: {
      passwords: { type: 'boolean', description: 'Whether users may sign in with a password.' },
      providers: {
        type: 'array',
        maxItems: 10,
        description: 'External providers, in the order of the settings.',
        items: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'string', description: 'Its id in the settings.', examples: ['corp'] },
            name: { type: 'string', description: 'The name shown to users.', examples: ['Our company'] },
          },
        },
      },
    },
  }),
  errors: [],
  handler({ settings, providers }) {
    const body = {
      passwords: settings.passwords,
      providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
    }
    return async () => ({ body, maxAgeSeconds })
  },
}

/** It changes nothing on this host, so any site may send a browser to it. */
export const signInWith: Endpoint = {
  ...federatedPage,
  id: 'SignInWith',
  summary: 'Redirects to an external provider.',
  description: 'Sign-in pages of clients link here. Requires a provider in the settings.',
  path: startPath,
  parameters: [providerParameter, authRequestParameter],
  handler: (identity) => async (call) => {
    const { provider: id = '', authRequest } = parseSingle(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    const provider = identity.providers.get(id)
    if (authRequest === undefined || !pending || !provider) return { page: outdatedPage }
    const { prompts, maxAgeSeconds, loginHint, language } = pending.request
    try {
      return await redirectToProvider(identity, provider, call, {
        purpose: { authRequest, language },
        // A request for a new sign-in is passed on to the provider.
        prompt: (['login', 'select_account'] as const).find((prompt) => prompts.has(prompt)),
        maxAge: maxAgeSeconds,
        loginHint,
      })
    } catch (error) {
      if (!(error instanceof FederationError)) throw error
      recordFailure(identity, provider, call, error.kind, { failure: error })
      return {
        page: failurePage(identity, provider, error.kind, { authRequest }, error.retryAfterSeconds),
        language,
      }
    }
  },
}

/** The state is an address that only this host can seal; it is used only if it is registered. */
export const returnFromSignOut: Endpoint = {
  ...federatedPage,
  id: 'ReturnFromSignOut',
  summary: 'Receives browsers from a provider after its sign-out.',
  description: 'This is the post-logout redirect address to register at the provider.',
  path: signOutReturnPath,
  parameters: [optional('state', 'The value sent by this host: the address to continue to.')],
  page: 'A confirmation of the sign-out, if there is no address to continue to.',
  handler:
    (identity) =>
    async ({ parameters }) => {
      const { state = '' } = parseSingle(parameters)
      const back = await identity.seals.open<Return>('outsideReturn', state)
      return back ? { redirectTo: back.returnTo } : { page: signedOutPage() }
    },
}
