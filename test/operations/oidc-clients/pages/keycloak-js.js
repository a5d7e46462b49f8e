import Keycloak from 'keycloak-js'

const keycloak = new Keycloak({ oidcProvider: ISSUER, clientId: 'pages' })
// Only Keycloak knows the iframe that watches a session, and only its refresh tokens can be read by this
// library: elsewhere it renews its tokens by another sign-in, which shows no page while the browser's session
// stands.
await keycloak.init({ scope: 'profile', checkLoginIframe: false })
window.app = {
  login: () => keycloak.tokenParsed && keycloak.idTokenParsed.preferred_username,
  token: () => keycloak.token,
  signIn: () => keycloak.login({ redirectUri: HERE }),
  renew: () => keycloak.login({ redirectUri: HERE, prompt: 'none' }),
  signOut: () => keycloak.logout({ redirectUri: HERE }),
}
