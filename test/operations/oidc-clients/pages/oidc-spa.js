import { oidcEarlyInit } from 'oidc-spa/entrypoint'

const BASE_URL = new URL(HERE).pathname
// Not awaited, because the modules that are loaded then import this one and would wait for it.
if (oidcEarlyInit({ BASE_URL }).shouldLoadApp) void start()

async function start() {
  const { createOidc } = await import('oidc-spa/core')
  const oidc = await createOidc({
    issuerUri: ISSUER,
    clientId: 'pages',
    scopes: ['profile', 'offline_access'],
  })
  window.app = {
    login: () => (oidc.isUserLoggedIn ? oidc.getDecodedIdToken().preferred_username : undefined),
    token: async () => (await oidc.getTokens()).accessToken,
    signIn: () => oidc.login(),
    refresh: () => oidc.renewTokens(),
    signOut: () => oidc.logout({ redirectTo: 'specific url', url: HERE }),
  }
}
