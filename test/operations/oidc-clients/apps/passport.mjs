// Serves a page that signs users in with the strategy that the argument names. SWITCH=on adds the change of
// docs/identity.md.
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OAuth2Strategy from 'passport-oauth2'
import OpenIDConnectStrategy from 'passport-openidconnect'

const { ISSUER: issuer, PORT, CLIENT_ID: clientID, CLIENT_SECRET: clientSecret, SWITCH } = process.env
const [name] = process.argv.slice(2)
const options = {
  issuer,
  authorizationURL: `${issuer}/connect/authorize`,
  tokenURL: `${issuer}/connect/token`,
  userInfoURL: `${issuer}/connect/userinfo`,
  clientID,
  clientSecret,
  callbackURL: `http://localhost:${PORT}/callback`,
  scope: ['openid', 'profile', 'email'],
}
const greet = async (accessToken, _refreshToken, _profile, done) => {
  const response = await fetch(options.userInfoURL, { headers: { authorization: `Bearer ${accessToken}` } })
  done(null, { username: (await response.json()).preferred_username })
}
const strategies = {
  oauth2: () => new OAuth2Strategy({ ...options, ...(SWITCH && { pkce: true, state: true }) }, greet),
  openidconnect: () =>
    new OpenIDConnectStrategy({ ...options, scope: ['profile', 'email'] }, (_issuer, profile, done) =>
      done(null, profile),
    ),
}
passport.use(name, strategies[name]())
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))
const app = express()
app.use(session({ secret: clientSecret, resave: false, saveUninitialized: false }))
app.use(passport.initialize(), passport.session())
app.get('/login', passport.authenticate(name))
app.get('/callback', passport.authenticate(name, { successRedirect: '/', failureRedirect: '/' }))
app.get('/', (request, response) => response.send(request.user ? `Signed in: ${request.user.username}` : 'nobody'))
app.listen(Number(PORT))
