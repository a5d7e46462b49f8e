import { checkDeprecation } from '../../http/operation.ts'
import { authorize } from './endpoints/authorize.ts'
import { discovery, jwks } from './endpoints/discovery.ts'
import { endSession } from './endpoints/end-session.ts'
import { error } from './endpoints/hosted-pages.ts'
import { introspect } from './endpoints/introspect.ts'
import { login, loginPage } from './endpoints/login.ts'
import { confirmLogout, logout } from './endpoints/logout.ts'
import { revocation } from './endpoints/revocation.ts'
import { token } from './endpoints/token.ts'
import { userinfo } from './endpoints/userinfo.ts'
import type { Identity } from './identity.ts'
import { operations } from './operations.ts'
import type { Endpoint, Operation, Route } from './route.ts'

/** Every operation with the endpoint that answers it. */
export const identityRoutes = (identity: Identity): readonly Route[] =>
  Object.entries<Operation>(operations).map(([name, operation]) => {
    checkDeprecation(operation)
    return { ...operation, handle: endpoints[name as keyof typeof endpoints](identity) }
  })

/** An operation without an endpoint does not compile. */
const endpoints: Readonly<Record<keyof typeof operations, (identity: Identity) => Endpoint>> = {
  getDiscovery: discovery,
  getKeys: jwks,
  authorize,
  authorizeByForm: authorize,
  requestToken: token,
  revokeToken: revocation,
  introspectToken: introspect,
  getUserinfo: userinfo,
  getUserinfoByForm: userinfo,
  endSession,
  endSessionByForm: endSession,
  showLoginPage: loginPage,
  logIn: login,
  logOut: logout,
  confirmLogOut: confirmLogout,
  getError: error,
}

/** Where browsers are sent, and sent on from: what has no JSON to answer. */
export const navigationPaths = (routes: readonly Pick<Operation, 'path' | 'answer'>[]): readonly string[] =>
  routes.filter(({ answer }) => answer === undefined).map(({ path }) => path)
