import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Database } from '../../db/database.ts'
import { startWork } from '../../db/work.ts'
import { addressKey, requestOriginOf } from '../../http/addresses.ts'
import { sendEnvelope } from '../../http/errors.ts'
import { announceDeprecations, checkDeprecation } from '../../http/openapi.ts'
import { preferredLanguage } from '../../model/language.ts'
import {
  type Endpoint,
  type HandlerResult,
  type Identity,
  OAuthError,
  type Operation,
  oauthCodeOf,
  oauthStatusOf,
  type ProviderEndpoint,
  type RawParameters,
  type Route,
} from './core/endpoint.ts'
import { listAccounts, showSignInPolicy } from './endpoints/administration.ts'
import { authorize, authorizeByForm, showConsent, submitConsent } from './endpoints/authorize.ts'
import { getDiscovery, getKeys, getServerMetadata } from './endpoints/discovery.ts'
import * as factors from './endpoints/factors.ts'
import { confirmConnecting, handleCallback, startConnecting } from './endpoints/federated-callback.ts'
import { listProviders, returnFromSignOut, signInWith } from './endpoints/federated-sign-in.ts'
import { showForgotPassword, submitForgotPassword } from './endpoints/forgot-password.ts'
import { getError, logIn, showLoginPage, showSignIn, submitSignIn } from './endpoints/login.ts'
import {
  confirmLogOut,
  endSessionByForm,
  endSessionByQuery,
  logOut,
  showSignedOut,
  showSignOut,
  submitSignOut,
} from './endpoints/logout.ts'
import { showPasskeyPage, submitPasskey } from './endpoints/passkey-sign-in.ts'
import { getUserinfo, getUserinfoByForm, introspectToken, revokeToken } from './endpoints/presented-tokens.ts'
import { showSecondStep, submitSecondStep } from './endpoints/second-step.ts'
import { showFactorSetUp, submitFactorSetUp } from './endpoints/set-up-factor.ts'
import { requestToken } from './endpoints/token.ts'
import { showUnsubscribe, unsubscribe } from './endpoints/unsubscribe.ts'
import { pageHeaders, renderPage } from './pages/page.ts'
import { translatorFor } from './pages/texts.ts'

/** The endpoints of the contract, in the order of its document. */
export const contractEndpoints: readonly Endpoint[] = [
  getDiscovery,
  getKeys,
  authorize,
  authorizeByForm,
  requestToken,
  revokeToken,
  introspectToken,
  getUserinfo,
  getUserinfoByForm,
  endSessionByQuery,
  endSessionByForm,
  showLoginPage,
  logIn,
  logOut,
  confirmLogOut,
  getError,
]

/** Mounted only if the settings name providers. */
const federatedEndpoints: readonly (Endpoint | ProviderEndpoint)[] = [
  signInWith,
  startConnecting,
  confirmConnecting,
  handleCallback,
  returnFromSignOut,
]

const pageEndpoints: readonly Endpoint[] = [
  showSignIn,
  submitSignIn,
  showSecondStep,
  submitSecondStep,
  showFactorSetUp,
  submitFactorSetUp,
  showPasskeyPage,
  submitPasskey,
  showForgotPassword,
  submitForgotPassword,
  showConsent,
  submitConsent,
  showSignOut,
  submitSignOut,
  showSignedOut,
  showUnsubscribe,
  unsubscribe,
]

/** The endpoints beyond the contract, in the order of their document. */
export const extensionEndpoints: readonly (Endpoint | ProviderEndpoint)[] = [
  getServerMetadata,
  listProviders,
  factors.showFactors,
  factors.offerAuthenticatorApp,
  factors.confirmAuthenticatorApp,
  factors.removeAuthenticatorApp,
  factors.renewRecoveryCodes,
  factors.offerPasskey,
  factors.addPasskey,
  factors.renamePasskey,
  factors.removePasskey,
  factors.removeFactors,
  listAccounts,
  showSignInPolicy,
  ...pageEndpoints,
  ...federatedEndpoints,
]

export function routesOf(identity: Identity): readonly Route[] {
  const extensions = extensionEndpoints.filter(
    (endpoint) => identity.providers.size > 0 || !federatedEndpoints.includes(endpoint),
  )
  return [...contractEndpoints, ...(identity.settings.extensions ? extensions : [])].flatMap(
    (endpoint): readonly Route[] => {
      checkDeprecation(endpoint)
      if (!('pathOf' in endpoint)) return [{ ...endpoint, handle: endpoint.createHandler(identity) }]
      return [...identity.providers.values()].map((provider) => ({
        ...endpoint,
        path: endpoint.pathOf(provider.id),
        handle: endpoint.createHandler(identity, provider),
      }))
    },
  )
}

/** Returns the paths to which browsers navigate. They have no JSON response. */
export const navigationPaths = (routes: readonly Pick<Operation, 'path' | 'response'>[]): readonly string[] =>
  routes.filter(({ response }) => response === undefined).map(({ path }) => path)

export function registerRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  { complete }: Pick<Database, 'complete'>,
): void {
  for (const { id, method, path, handle, deprecation, readsQueryOnly } of routes) {
    const options: RouteOptions = {
      method,
      url: path,
      async onRequest(_request, reply) {
        announceDeprecations(reply, deprecation ? [deprecation] : [])
      },
      onSend: addOAuthError,
      async handler(request, reply) {
        const parameters = (
          method === 'GET' || readsQueryOnly ? request.query : request.body
        ) as RawParameters
        const work = startWork(id, 'identity', request.headers.traceparent)
        // Database connections are shared fairly among addresses, because the account is known only after a
        // query.
        work.holder = addressKey(request.ip)
        return complete(work, async () => {
          try {
            const call = { method, parameters, headers: request.headers, ...requestOriginOf(request) }
            return send(request, reply, await handle(call))
          } catch (error) {
            if (error instanceof OAuthError) return sendError(reply, error)
            throw error
          }
        })
      },
    }
    if (readsQueryOnly) registerWithAnyBody(app, options)
    else app.route(options)
  }
}

/** Registers a route in its own scope, where bodies are read up to the host's limit and discarded. */
function registerWithAnyBody(app: FastifyInstance, options: RouteOptions): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async () => ({}))
    scope.route(options)
    done()
  })
}

function send(request: FastifyRequest, reply: FastifyReply, result: HandlerResult): FastifyReply {
  if ('cookie' in result && result.cookie !== undefined) reply.header('set-cookie', result.cookie)
  if ('redirectTo' in result) {
    // After a post, 303 keeps the browser from posting the password again (RFC 9700, 4.12).
    const status = request.method === 'POST' ? 303 : 302
    return reply.header('cache-control', 'no-store').redirect(result.redirectTo, status)
  }
  if ('page' in result) {
    const { language = preferredLanguage(request.headers['accept-language']) } = result
    const page = result.page(translatorFor(language))
    reply.headers({ ...pageHeaders(page), 'cache-control': 'no-store' })
    return reply
      .code(page.status ?? 200)
      .type('text/html; charset=utf-8')
      .send(renderPage(page, language))
  }
  const { body, maxAgeSeconds, status = 200 } = result
  const isPrivate = maxAgeSeconds === undefined
  reply.header('cache-control', isPrivate ? 'no-store' : `public, max-age=${maxAgeSeconds}`)
  // RFC 6749, 5.1 also requires `pragma`, for caches from before HTTP/1.1.
  if (isPrivate) reply.header('pragma', 'no-cache')
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

function sendError(reply: FastifyReply, { code, message, challenge }: OAuthError): FastifyReply {
  const statusCode = oauthStatusOf(code)
  if (challenge !== undefined) reply.header('www-authenticate', challenge)
  return sendEnvelope(reply, { statusCode, message }, { error: code, error_description: message })
}

/** Adds the two properties of OAuth to errors that the server sends, such as errors of the rate limiter. */
async function addOAuthError(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const isOAuth = request.routeOptions.url?.startsWith('/connect/')
  if (!isOAuth || reply.statusCode < 400 || typeof payload !== 'string') return payload
  const envelope = JSON.parse(payload) as { readonly message: string; readonly error?: string }
  if (envelope.error !== undefined) return payload
  const extended = JSON.stringify({
    ...envelope,
    error: oauthCodeOf(reply.statusCode),
    error_description: envelope.message,
  })
  reply.header('content-length', Buffer.byteLength(extended))
  return extended
}
