import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createPkce, type Fields, openBrowser, type Page, requestOf, signIn } from '../support/browser.ts'
import { signInPath } from '../support/certified-provider.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin, otherOrigin } from '../support/known-clients.ts'
import { startOracle } from './support/oracle.ts'

/** `ORACLE_REQUESTS=2000 npm test -- oracle` compares more requests. */
const requests = Number(process.env.ORACLE_REQUESTS ?? 50)
const seed = Number(process.env.ORACLE_SEED ?? 1)
const pkce = createPkce()

describe(`compared with oidc-provider (seed ${seed})`, () => {
  const host = fixture(startIdentityUnderTest)
  const oracle = fixture(startOracle)
  const ours = fixture(() => openBrowser(host.address))
  const theirs = fixture(() => openBrowser(oracle.address))
  before(async () => {
    await signIn(ours, pkce)
    await theirs.follow(await theirs.get('/connect/authorize', requestOf(pkce)))
  })

  it('authorization requests get the same class of answer, or a difference that is explained', async () => {
    const unexplained: string[] = []
    for (const { parameters, isSignedIn } of fc.sample(authorizationRequests, { numRuns: requests, seed })) {
      const path = `/connect/authorize?${new URLSearchParams([...parameters])}`
      const ourBrowser = isSignedIn ? ours : openBrowser(host.address)
      const theirBrowser = isSignedIn ? theirs : openBrowser(oracle.address)
      const ourAnswer = classOf(await ourBrowser.get(path))
      const theirAnswer = classOf(await theirBrowser.get(path))
      const isExplained = explanations.some(({ applies }) =>
        applies(Object.fromEntries(parameters), ourAnswer, theirAnswer, repeatedIn(parameters)),
      )
      if (ourAnswer !== theirAnswer && !isExplained)
        unexplained.push(`${ourAnswer} | ${theirAnswer} | ${changedIn(parameters)}`)
    }
    assert.deepEqual(unexplained, [])
  })
})

type Pairs = [string, string][]
interface Explanation {
  readonly why: string
  readonly applies: (request: Fields, ours: string, theirs: string, repeated: readonly string[]) => boolean
}

/** Intended differences from the responses of oidc-provider. */
const explanations: readonly Explanation[] = [
  {
    why: 'We know the implicit types and reject them for the client; oidc-provider does not support some, and checks others later.',
    applies: ({ response_type: type = '' }, ours) => type.includes('token') && ours.startsWith('#un'),
  },
  {
    why: 'To us, a request without openid is plain OAuth; oidc-provider requires openid for auth_time.',
    applies: ({ scope = '' }, _ours, theirs) =>
      !scope.includes('openid') && theirs.includes('invalid_request'),
  },
  {
    why: 'RFC 6749, 3.3: a missing scope is invalid_scope.',
    applies: ({ scope = '' }, ours) => scope === '' && ours.includes('invalid_scope'),
  },
  {
    why: 'We reject an unknown scope, because a typing error would otherwise be noticed only at the API. OpenID Connect permits ignoring it.',
    applies: ({ scope = '' }, ours) => scope.includes('email') && ours.includes('invalid_scope'),
  },
  {
    why: 'Our only mode is query, and a wrong one is invalid_request.',
    applies: ({ response_mode: mode = 'query' }) => mode !== 'query' && mode !== '',
  },
  {
    why: 'RFC 6749, 3.1: no parameter may be sent twice, whether we know it or not.',
    applies: (_request, ours, _theirs, repeated) =>
      ours.startsWith('invalid_request') && repeated.includes('unknown'),
  },
  {
    why: 'The only client is our own, so there is nothing to consent to.',
    applies: ({ prompt = '' }, ours, theirs) =>
      prompt.includes('consent') && ours.startsWith('code') && theirs === 'sign-in',
  },
  {
    why: 'If a request has several faults, the two report different ones.',
    applies: (_request, ours, theirs) =>
      isRejection(ours) && isRejection(theirs) && stateOf(ours) === stateOf(theirs),
  },
]

const isRejection = (answer: string): boolean => /^#?[a-z]+_[a-z_]+ /.test(answer)
const stateOf = (answer: string): string => answer.slice(answer.indexOf(' '))

/** Returns the kind of page at which the browser ends, with its parameters and its state. */
function classOf({ status, location, json }: Page): string {
  if (location === '') return json?.error === undefined ? `status ${status}` : 'shown'
  if (location.includes('errorId=')) return 'shown'
  if (location.includes('/login-page') || location.startsWith(signInPath)) return 'sign-in'
  const { searchParams, hash } = new URL(location)
  if (searchParams.has('code')) return `code ${searchParams.get('state')}`
  if (searchParams.has('error')) return `${searchParams.get('error')} ${searchParams.get('state')}`
  const fragment = new URLSearchParams(hash.slice(1))
  return `#${fragment.get('error') ?? 'code'} ${fragment.get('state')}`
}

const repeatedIn = (parameters: Pairs): string[] =>
  parameters.map(([name]) => name).filter((name, index, names) => names.indexOf(name) !== index)

const changedIn = (parameters: Pairs): string =>
  JSON.stringify(parameters.filter(([name, value]) => requestOf(pkce)[name] !== value))

const otherValues: Readonly<Record<string, readonly string[]>> = {
  client_id: ['nobody', ''],
  redirect_uri: [`${otherOrigin}/signin-callback/`, 'https://evil.example/', `${origin}/signin-callback`, ''],
  response_type: ['token', 'id_token', 'id_token token', 'code id_token', 'cheese', 'none', ''],
  response_mode: ['query', 'fragment', 'cheese', ''],
  scope: ['openid', 'openid offline_access', 'openid svc.grpc', 'openid email', 'profile', ''],
  state: ['', 'ä ö&=#', 'x'.repeat(50)],
  nonce: [''],
  code_challenge: ['short', 'x'.repeat(129), 'ä'.repeat(43), ''],
  code_challenge_method: ['plain', 's256', ''],
  prompt: ['none', 'login', 'consent', 'none login', 'login consent', 'sometimes', ''],
  max_age: ['0', '1', '100000', '-1', 'soon', '1.5', ''],
  display: ['page', 'cheese'],
  ui_locales: ['de'],
  login_hint: ['ada'],
  acr_values: ['1 2'],
  claims: ['{"userinfo":{}}'],
  request: ['x', ''],
  request_uri: ['https://x.example', ''],
  registration: ['{}', ''],
  id_token_hint: ['cheese', ''],
  unknown: ['x'],
}

/** Generates a parameter that is left out, replaced or sent twice. */
const change = fc.constantFrom(...Object.keys(otherValues)).chain((name) =>
  fc.record({
    name: fc.constant(name),
    value: fc.option(fc.constantFrom(...(otherValues[name] ?? [''])), { freq: 5 }),
    isRepeated: fc.nat(5).map((dice) => dice === 0),
  }),
)

/** Generates valid requests with up to three changes. */
const authorizationRequests = fc.record({
  isSignedIn: fc.boolean(),
  parameters: fc.array(change, { maxLength: 3 }).map((changes) =>
    changes.reduce<Pairs>(
      (pairs, { name, value, isRepeated }) => {
        const kept = isRepeated ? pairs : pairs.filter(([known]) => known !== name)
        return value === null ? kept : [...kept, [name, value]]
      },
      Object.entries(requestOf(pkce)),
    ),
  ),
})
