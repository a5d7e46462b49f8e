import { checkDeprecation } from '../../http/operation.ts'
import { answerConsent, askConsent } from './endpoints/consent.ts'
import { serverMetadata } from './endpoints/discovery.ts'
import { factorEndpoints } from './endpoints/factors.ts'
import { answerForgotten, askForgotten } from './endpoints/forgot-password.ts'
import { hostedSignIn, hostedSignOut, signedOut } from './endpoints/hosted-pages.ts'
import { hostedLogin } from './endpoints/login.ts'
import { confirmHostedLogout } from './endpoints/logout.ts'
import { answerPasskey, askPasskey } from './endpoints/passkey-sign-in.ts'
import { answerSecondFactor, askSecondFactor } from './endpoints/second-step.ts'
import { answerSetUp, askToSetUp } from './endpoints/set-up-factor.ts'
import { extensionOperations } from './extension-operations.ts'
import { callbackPath } from './federation/attempts.ts'
import { callbackOf } from './federation/callback.ts'
import { confirmConnecting, startConnecting } from './federation/connect.ts'
import { listProviders, signInWith } from './federation/sign-in.ts'
import { outsideReturn } from './federation/sign-out.ts'
import type { Identity } from './identity.ts'
import { outsideOperations } from './page-operations.ts'
import type { Endpoint, Operation, Route } from './route.ts'

/** What registered clients, second factors and outside providers need beyond the contract. */
export function extensionRoutes(identity: Identity): readonly Route[] {
  const { comeBack, ...others } = endpoints
  const hasProviders = identity.providers.size > 0
  const shared = Object.entries(others).flatMap(([name, endpoint]) => {
    const operation: Operation = extensionOperations[name as keyof typeof others]
    checkDeprecation(operation)
    return name in outsideOperations && !hasProviders ? [] : [{ ...operation, handle: endpoint(identity) }]
  })
  const callbacks = [...identity.providers.values()].map((provider) => ({
    ...extensionOperations.comeBack,
    path: callbackPath(provider.id),
    handle: comeBack(identity, provider),
  }))
  return [...shared, ...callbacks]
}

type OfIdentity = (identity: Identity) => Endpoint

/** An operation without an endpoint does not compile, nor one without a description. */
const endpoints: Readonly<Record<Exclude<keyof typeof extensionOperations, 'comeBack'>, OfIdentity>> & {
  readonly comeBack: typeof callbackOf
} = {
  getServerMetadata: serverMetadata,
  listProviders,
  ...factorEndpoints,
  showSignIn: hostedSignIn,
  answerSignIn: hostedLogin,
  askSecondFactor,
  answerSecondFactor,
  askToSetUp,
  answerSetUp,
  askPasskey,
  answerPasskey,
  askForgotten,
  answerForgotten,
  askConsent,
  answerConsent,
  showSignOut: hostedSignOut,
  answerSignOut: confirmHostedLogout,
  showSignedOut: signedOut,
  signInWith,
  startConnecting,
  confirmConnecting,
  returnFromSignOut: outsideReturn,
  /** A route for each provider. */
  comeBack: callbackOf,
}
