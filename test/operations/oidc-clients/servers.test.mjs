import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Auth } from '@auth/core'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'
import { issuer, login, openPerson, secret, server } from './person.mjs'

/** Serves an app on the port of the registered callbacks. */
const serve = (t, app) =>
  new Promise((resolve) => {
    const listening = app.listen(new URL(server).port, () => resolve(listening))
    // The next app on this port must not meet an old connection.
    listening.maxRequestsPerSocket = 1
    t.after(() => {
      listening.closeAllConnections()
      return new Promise((done) => listening.close(done))
    })
  })

test('passport-openidconnect signs in', async (t) => {
  const authentication = new passport.Passport()
  authentication.use(
    new OpenIDConnectStrategy(
      {
        issuer,
        authorizationURL: `${issuer}/connect/authorize`,
        tokenURL: `${issuer}/connect/token`,
        userInfoURL: `${issuer}/connect/userinfo`,
        clientID: 'passport',
        clientSecret: secret,
        callbackURL: `${server}/callback`,
        scope: ['profile', 'email'],
      },
      (_issuer, profile, done) => done(null, profile),
    ),
  )
  authentication.serializeUser((user, done) => done(null, user))
  authentication.deserializeUser((user, done) => done(null, user))
  const app = express()
  app.use(session({ secret, resave: false, saveUninitialized: false }))
  app.use(authentication.initialize(), authentication.session())
  app.get('/login', authentication.authenticate('openidconnect'))
  app.get(
    '/callback',
    authentication.authenticate('openidconnect', { successRedirect: '/', failureRedirect: '/failed' }),
  )
  app.get('/', (request, response) => response.json(request.user ?? null))
  await serve(t, app)
  const person = openPerson()
  person.browser.visitsCallbacks = true
  const { json } = await person.signIn(`${server}/login`)
  assert.deepEqual([json?.username, json?.emails?.[0]?.value], [login, login])
})

test('Auth.js signs in and out', async (t) => {
  const config = {
    basePath: '/auth',
    trustHost: true,
    secret,
    providers: [
      { id: 'tracker', name: 'Tracker', type: 'oidc', issuer, clientId: 'server', clientSecret: secret },
    ],
  }
  const app = express()
  app.use(express.text({ type: '*/*' }))
  app.use('/auth', async (request, response) => {
    const { method, headers, originalUrl, body } = request
    const answer = await Auth(
      new Request(new URL(originalUrl, server), {
        method,
        headers,
        ...(method === 'POST' && { body: body || '' }),
      }),
      config,
    )
    response.status(answer.status)
    for (const [name, value] of answer.headers) response.append(name, value)
    response.send(await answer.text())
  })
  app.get('/', (_request, response) => response.send('home'))
  await serve(t, app)
  const person = openPerson()
  const read = async (path) => (await person.browser.get(`${server}/auth/${path}`)).json
  const post = async (path) => {
    const { csrfToken } = await read('csrf')
    return person.browser.post(`${server}/auth/${path}`, { csrfToken, callbackUrl: `${server}/` })
  }
  const { location } = await post('signin/tracker')
  const home = await person.signIn(location)
  assert.equal(home.text, 'home')
  assert.equal((await read('session')).user.email, login)
  await post('signout')
  assert.equal(await read('session'), null)
})
