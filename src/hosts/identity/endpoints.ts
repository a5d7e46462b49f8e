import { checkDeprecation } from '../../http/operation.ts'
import type { Endpoint, Operation, ProviderEndpoint, Route } from './core/endpoint.ts'
import type { Identity } from './core/identity.ts'
import { authorize, authorizeByForm } from './endpoints/authorize.ts'
import { showConsent, submitConsent } from './endpoints/consent.ts'
import { getDiscovery, getKeys, getServerMetadata } from './endpoints/discovery.ts'
import * as factors from './endpoints/factors.ts'
import { confirmConnecting, handleCallback, startConnecting } from './endpoints/federated-callback.ts'
import { listProviders, returnFromSignOut, signInWith } from './endpoints/federated-sign-in.ts'
import { showForgotPassword, submitForgotPassword } from './endpoints/forgot-password.ts'
import { introspectToken, revokeToken } from './endpoints/introspect.ts'
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
import * as passkeys from './endpoints/passkeys.ts'
import { showSecondStep, submitSecondStep } from './endpoints/second-step.ts'
import { showFactorSetUp, submitFactorSetUp } from './endpoints/set-up-factor.ts'
import { requestToken } from './endpoints/token.ts'
import { showUnsubscribe, unsubscribe } from './endpoints/unsubscribe.ts'
import { getUserinfo, getUserinfoByForm } from './endpoints/userinfo.ts'

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

/** Mounted only while the settings name providers. */
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
  passkeys.offerPasskey,
  passkeys.addPasskey,
  passkeys.renamePasskey,
  passkeys.removePasskey,
  factors.removeFactors,
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
      if ('handler' in endpoint) return [{ ...endpoint, handle: endpoint.handler(identity) }]
      return [...identity.providers.values()].map((provider) => ({
        ...endpoint,
        path: endpoint.pathOf(provider.id),
        handle: endpoint.handlerOf(identity, provider),
      }))
    },
  )
}

/** The paths that browsers navigate to: those without a JSON response. */
export const navigationPaths = (routes: readonly Pick<Operation, 'path' | 'response'>[]): readonly string[] =>
  routes.filter(({ response }) => response === undefined).map(({ path }) => path)
