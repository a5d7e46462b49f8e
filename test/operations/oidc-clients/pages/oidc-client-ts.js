import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: ISSUER,
  client_id: 'pages',
  redirect_uri: HERE,
  post_logout_redirect_uri: HERE,
  scope: 'openid profile offline_access',
})
if (new URLSearchParams(location.search).has('code')) {
  await users.signinCallback()
  history.replaceState({}, '', HERE)
}
window.app = {
  login: async () => (await users.getUser())?.profile.preferred_username,
  token: async () => (await users.getUser()).access_token,
  signIn: () => users.signinRedirect(),
  refresh: () => users.signinSilent(),
  signOut: () => users.signoutRedirect(),
}
