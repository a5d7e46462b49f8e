import Keycloak from 'keycloak-js'

const keycloak = new Keycloak({ oidcProvider: ISSUER, clientId: 'pages' })
// Other providers than Keycloak have no iframe that watches a session, and this library cannot read their
// refresh tokens. It then renews its tokens by another sign-in, which shows no page while the session is
// active.
await keycloak.init({ scope: 'profile', checkLoginIframe: false })
window.app = {
  login: () => keycloak.tokenParsed && keycloak.idTokenParsed.preferred_username,
  token: () => keycloak.token,
  signIn: () => keycloak.login({ redirectUri: HERE }),
  renew: () => keycloak.login({ redirectUri: HERE, prompt: 'none' }),
  signOut: () => keycloak.logout({ redirectUri: HERE }),
}
