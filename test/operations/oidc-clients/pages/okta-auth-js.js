import { OktaAuth } from '@okta/okta-auth-js'

const okta = new OktaAuth({
  issuer: ISSUER,
  clientId: 'pages',
  redirectUri: HERE,
  postLogoutRedirectUri: HERE,
  scopes: ['openid', 'profile', 'offline_access'],
  // By default, the library uses the paths of Okta.
  authorizeUrl: `${ISSUER}/connect/authorize`,
  tokenUrl: `${ISSUER}/connect/token`,
  userinfoUrl: `${ISSUER}/connect/userinfo`,
  revokeUrl: `${ISSUER}/connect/revocation`,
  logoutUrl: `${ISSUER}/connect/endsession`,
})
if (okta.isLoginRedirect()) await okta.handleLoginRedirect()
await okta.start()
window.app = {
  login: () => okta.tokenManager.getTokensSync().idToken?.claims.preferred_username,
  token: () => okta.getAccessToken(),
  signIn: () => okta.signInWithRedirect({ originalUri: HERE }),
  // Like the renewal of the library: all tabs share the tokens, and one elected tab renews them.
  refresh: () => okta.serviceManager.isLeader() && okta.tokenManager.renew('accessToken'),
  signOut: () => okta.signOut(),
}
