import Keycloak from 'keycloak-js'

const keycloak = new Keycloak({ oidcProvider: ISSUER, clientId: 'pages' })
// Providers other than Keycloak have no iframe that watches a session, and this library cannot read their
// refresh tokens. So it renews its tokens by another sign-in, without a page while the session is active.
await keycloak.init({ scope: 'profile', checkLoginIframe: false })
window.app = {
  login: () => keycloak.tokenParsed && keycloak.idTokenParsed.preferred_username,
  token: () => keycloak.token,
  signIn: () => keycloak.login({ redirectUri: HERE }),
  renew: () => keycloak.login({ redirectUri: HERE, prompt: 'none' }),
  signOut: () => keycloak.logout({ redirectUri: HERE }),
}
