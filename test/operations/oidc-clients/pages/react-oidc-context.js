import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { AuthProvider, useAuth } from 'react-oidc-context'

const settings = {
  authority: ISSUER,
  client_id: 'pages',
  redirect_uri: HERE,
  post_logout_redirect_uri: HERE,
  scope: 'openid profile offline_access',
  onSigninCallback: () => history.replaceState({}, '', HERE),
}

function App() {
  const auth = useAuth()
  useEffect(() => {
    if (auth.isLoading) return
    window.app = {
      login: () => auth.user?.profile.preferred_username,
      token: () => auth.user.access_token,
      signIn: () => auth.signinRedirect(),
      refresh: () => auth.signinSilent(),
      signOut: () => auth.signoutRedirect(),
    }
  })
  return null
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  createElement(AuthProvider, settings, createElement(App)),
)
