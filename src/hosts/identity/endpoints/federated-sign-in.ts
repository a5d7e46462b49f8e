import { openPendingRequest } from '../authorization/authorization-request.ts'
import { type Endpoint, singleParameters } from '../core/endpoint.ts'
import {
  authRequestParameter,
  federationOperation,
  jsonResponse,
  optional,
  providerParameter,
} from '../core/operation-parts.ts'
import { FederationError, failurePage, recordFailure } from '../federation/failures.ts'
import {
  redirectToProvider,
  type SignOutReturn,
  signOutReturnPath,
  startPath,
} from '../federation/provider-redirects.ts'
import { outdatedPage, signedOutPage } from '../pages/page.ts'

/** The list changes only with a restart of the host. */
const cacheSeconds = 5 * 60

/** The rate limit does not count requests for this path, because browsers cache the list. */
export const providersPath = '/ext/providers'

export const listProviders: Endpoint = {
  id: 'ListProviders',
  tag: 'SignIn',
  summary: 'Lists the ways to sign in, for sign-in pages of clients.',
  description:
    'A page must link to `/ext/sign-in/with?provider={id}&authRequest={the pending request}` and not post a form: browsers apply the Content-Security-Policy of a page (`form-action`) also to the redirects that follow its forms.',
  method: 'GET',
  path: providersPath,
  ...jsonResponse('SignInWays', {
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
  createHandler({ settings, providers }) {
    const body = {
      passwords: settings.passwords,
      providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
    }
    return async () => ({ body, maxAgeSeconds: cacheSeconds })
  },
}

/** The redirect changes no account and no session, so any site may send a browser here. */
export const signInWith: Endpoint = {
  ...federationOperation,
  id: 'SignInWith',
  summary: 'Redirects to an external provider.',
  description: 'Sign-in pages of clients link here. Requires a provider in the settings.',
  path: startPath,
  parameters: [providerParameter, authRequestParameter],
  createHandler: (identity) => async (call) => {
    const { provider: id = '', authRequest } = singleParameters(call.parameters)
    const pending = await openPendingRequest(identity, authRequest)
    const provider = identity.providers.get(id)
    if (authRequest === undefined || !pending || !provider) return { page: outdatedPage }
    const { prompts, maxAgeSeconds, loginHint, language } = pending.request
    try {
      return await redirectToProvider(identity, provider, call, {
        purpose: { authRequest, language },
        // If the client requires a new sign-in, so must the provider.
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

/** The browser continues to the URL in the state, which only this host can have sealed. */
export const returnFromSignOut: Endpoint = {
  ...federationOperation,
  id: 'ReturnFromSignOut',
  summary: 'Receives browsers from a provider after its sign-out.',
  description: 'This is the post-logout redirect address to register at the provider.',
  path: signOutReturnPath,
  parameters: [optional('state', 'The value sent by this host: the address to continue to.')],
  page: 'A confirmation of the sign-out, if there is no address to continue to.',
  createHandler:
    (identity) =>
    async ({ parameters }) => {
      const { state = '' } = singleParameters(parameters)
      const sealed = await identity.seals.open<SignOutReturn>('outsideReturn', state)
      return sealed ? { redirectTo: sealed.returnTo } : { page: signedOutPage() }
    },
}
