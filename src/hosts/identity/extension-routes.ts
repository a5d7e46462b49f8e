import { answerConsent, askConsent, consentPath } from './endpoints/consent.ts'
import { serverMetadata } from './endpoints/discovery.ts'
import { factorRoutes } from './endpoints/factors.ts'
import { answerForgotten, askForgotten, forgotPasswordPath } from './endpoints/forgot-password.ts'
import { hostedSignIn } from './endpoints/hosted-sign-in.ts'
import { hostedSignOut, signedOut } from './endpoints/hosted-sign-out.ts'
import { hostedLogin } from './endpoints/login.ts'
import { confirmHostedLogout } from './endpoints/logout.ts'
import { answerPasskey, askPasskey, passkeyPath } from './endpoints/passkey-sign-in.ts'
import { answerSecondFactor, askSecondFactor } from './endpoints/second-step.ts'
import { answerSetUp, askToSetUp } from './endpoints/set-up-factor.ts'
import { extensionOperations } from './extension-operations.ts'
import type { Identity } from './identity.ts'
import { callbackOf } from './outside/callback.ts'
import { confirmConnecting, startConnecting } from './outside/connect.ts'
import { outsideReturn } from './outside/leave-outside.ts'
import { callbackPath, connectPath, outsideReturnPath, startPath } from './outside/paths.ts'
import { listProviders } from './outside/provider-links.ts'
import { signInWith } from './outside/sign-in-with.ts'
import type { ExtensionRoute } from './route.ts'
import { hostedSignInPath, hostedSignOutPath, signedOutPath } from './sign-in/addresses.ts'
import { secondStepPath, setUpPath } from './sign-in/sign-in-step.ts'

/** What registered clients, second factors and outside providers need beyond the contract. */
export const extensionRoutes = (identity: Identity): readonly ExtensionRoute[] => [
  { ...extensionOperations.getServerMetadata, handle: serverMetadata(identity) },
  { method: 'GET', path: hostedSignInPath, handle: hostedSignIn(identity) },
  { method: 'POST', path: hostedSignInPath, handle: hostedLogin(identity) },
  { method: 'GET', path: secondStepPath, handle: askSecondFactor(identity) },
  { method: 'POST', path: secondStepPath, handle: answerSecondFactor(identity) },
  { method: 'GET', path: setUpPath, handle: askToSetUp(identity) },
  { method: 'POST', path: setUpPath, handle: answerSetUp(identity) },
  { method: 'GET', path: passkeyPath, handle: askPasskey(identity) },
  { method: 'POST', path: passkeyPath, handle: answerPasskey(identity) },
  { method: 'GET', path: forgotPasswordPath, handle: askForgotten(identity) },
  { method: 'POST', path: forgotPasswordPath, handle: answerForgotten(identity) },
  ...factorRoutes(identity),
  { method: 'GET', path: consentPath, handle: askConsent(identity) },
  { method: 'POST', path: consentPath, handle: answerConsent(identity) },
  { method: 'GET', path: hostedSignOutPath, handle: hostedSignOut(identity) },
  { method: 'POST', path: hostedSignOutPath, handle: confirmHostedLogout(identity) },
  { method: 'GET', path: signedOutPath, handle: signedOut() },
  { ...extensionOperations.listProviders, handle: listProviders(identity) },
  ...(identity.providers.size > 0 ? outsideRoutes(identity) : []),
]

const outsideRoutes = (identity: Identity): readonly ExtensionRoute[] => [
  { method: 'GET', path: startPath, handle: signInWith(identity) },
  { method: 'GET', path: connectPath, handle: startConnecting(identity) },
  { method: 'POST', path: connectPath, handle: confirmConnecting(identity) },
  { method: 'GET', path: outsideReturnPath, handle: outsideReturn(identity) },
  ...[...identity.providers.values()].map((provider) => ({
    method: 'GET' as const,
    path: callbackPath(provider.id),
    handle: callbackOf(identity, provider),
  })),
]
