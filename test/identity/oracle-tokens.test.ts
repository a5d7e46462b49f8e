import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Browser,
  createPkce,
  type Fields,
  openBrowser,
  type Page,
  queryOf,
  requestOf,
  signIn,
} from '../support/browser.ts'
import { fixture } from '../support/fixture.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { otherOrigin, redirectUri, robot } from '../support/known-clients.ts'
import { startOracle } from './support/oracle.ts'

/** One to sign in, and at most five steps. */
const requestsPerSequence = 6
/** `ORACLE_REQUESTS=2000 npm test -- oracle` compares more requests. */
const sequences = Math.ceil(Number(process.env.ORACLE_REQUESTS ?? 50) / requestsPerSequence)
const seed = Number(process.env.ORACLE_SEED ?? 1)
const pkce = createPkce()

describe(`compared with oidc-provider (seed ${seed})`, () => {
  const host = fixture(startIdentityUnderTest)
  const oracle = fixture(startOracle)

  /**
   * Opens one side of the comparison: a browser with a session and a new code. The other side, oidc-provider,
   * signs the user in without a page.
   */
  const openSide = async (address: string): Promise<Side> => {
    const browser = openBrowser(address)
    const callback =
      address === host.address
        ? await signIn(browser, pkce)
        : await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
    return { browser, code: queryOf(callback).code ?? '', refreshTokens: [] }
  }

  it('sequences of token and revocation requests get the same answers', async () => {
    const unexplained: string[] = []
    for (const steps of fc.sample(stepSequences, { numRuns: sequences, seed })) {
      const difference = await firstDifference(
        await openSide(host.address),
        await openSide(oracle.address),
        steps,
      )
      if (difference !== undefined) unexplained.push(difference)
    }
    assert.deepEqual(unexplained, [])
  })
})

interface Side {
  readonly browser: Browser
  readonly code: string
  /** Filled by the steps. The newest token is the last. */
  readonly refreshTokens: string[]
}

interface Step {
  readonly kind: 'redeem' | 'refresh' | 'revoke' | 'service'
  /** The age of the refresh token to use. 0 is the newest. */
  readonly age: number
  readonly overrides: Fields
}

interface Explanation {
  readonly why: string
  readonly applies: (step: Step, ours: string, theirs: string) => boolean
}

/** Intended differences from the responses of oidc-provider. */
const explanations: readonly Explanation[] = [
  {
    why: 'We reject a malformed verifier as invalid_request before we look up the code.',
    applies: ({ kind, overrides }, ours) =>
      kind === 'redeem' &&
      ours === '400 invalid_request' &&
      ['', 'short'].includes(overrides.code_verifier ?? 'x'),
  },
  {
    why: 'RFC 6749, 5.2: a request without any client is invalid_client.',
    applies: ({ overrides }, ours) => overrides.client_id === '' && ours === '401 invalid_client',
  },
  {
    why: 'If a request has several faults, the two report different ones.',
    applies: ({ overrides }, ours, theirs) =>
      Object.keys(overrides).length > 1 && /^4/.test(ours) && /^4/.test(theirs),
  },
]

/**
 * Returns the first difference, or undefined if there is none or if it is explained. After a difference, the
 * remaining steps are not compared, because they would start from different states.
 */
async function firstDifference(
  ours: Side,
  theirs: Side,
  steps: readonly Step[],
): Promise<string | undefined> {
  for (const [index, step] of steps.entries()) {
    const ourAnswer = await perform(ours, step)
    const theirAnswer = await perform(theirs, step)
    if (ourAnswer === theirAnswer) continue
    const isExplained = explanations.some(({ applies }) => applies(step, ourAnswer, theirAnswer))
    if (isExplained) return undefined
    return `${ourAnswer} | ${theirAnswer} | ${JSON.stringify(steps.slice(0, index + 1))}`
  }
  return undefined
}

async function perform(
  { browser, code, refreshTokens }: Side,
  { kind, age, overrides }: Step,
): Promise<string> {
  const refreshToken = refreshTokens.at(-1 - age) ?? refreshTokens[0] ?? 'made-up'
  const forms: Readonly<Record<Step['kind'], Fields>> = {
    redeem: {
      grant_type: 'authorization_code',
      client_id: 'svc-webclient',
      redirect_uri: redirectUri,
      code_verifier: pkce.verifier,
      code,
    },
    refresh: { grant_type: 'refresh_token', client_id: 'svc-webclient', refresh_token: refreshToken },
    revoke: { client_id: 'svc-webclient', token: refreshToken },
    service: { grant_type: 'client_credentials', client_id: robot.id, client_secret: robot.secret },
  }
  const path = kind === 'revoke' ? '/connect/revocation' : '/connect/token'
  const page = await browser.post(path, { ...forms[kind], ...overrides })
  if (page.status === 200 && page.json?.refresh_token) refreshTokens.push(page.json.refresh_token)
  return answerOf(page)
}

function answerOf({ status, json }: Page): string {
  if (json?.error !== undefined) return `${status} ${json.error}`
  const refresh = json?.refresh_token === undefined ? '' : 'refresh'
  const identity = json?.id_token === undefined ? '' : 'id'
  return `${status} ${refresh} ${identity}`
}

const otherValues: Readonly<Record<Step['kind'], Readonly<Record<string, readonly string[]>>>> = {
  redeem: {
    code: ['made-up', ''],
    code_verifier: [createPkce().verifier, 'short', ''],
    redirect_uri: [`${otherOrigin}/signin-callback/`, 'https://evil.example/', ''],
    client_id: ['nobody', ''],
    grant_type: ['cheese', ''],
    unknown: ['x'],
  },
  refresh: {
    refresh_token: ['made-up', ''],
    scope: ['openid', 'openid profile', 'svc.grpc', 'cheese', ''],
    client_id: ['nobody', ''],
  },
  revoke: {
    token: ['made-up', ''],
    token_type_hint: ['refresh_token', 'access_token', 'cheese', ''],
    client_id: ['nobody', ''],
  },
  service: {
    client_id: ['nobody', 'svc-webclient', ''],
    client_secret: ['wrong', ''],
    scope: ['svc.api', 'svc.grpc', 'svc.api svc.grpc', ''],
  },
}

const step: fc.Arbitrary<Step> = fc
  .constantFrom<Step['kind'][]>('redeem', 'redeem', 'refresh', 'refresh', 'refresh', 'revoke', 'service')
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      age: fc.constantFrom(0, 0, 0, 1),
      overrides: fc
        .array(
          fc
            .constantFrom(...Object.entries(otherValues[kind]))
            .chain(([name, values]) => fc.tuple(fc.constant(name), fc.constantFrom(...values))),
          { maxLength: 2, size: 'xsmall' },
        )
        .map((pairs) => Object.fromEntries(pairs)),
    }),
  )

const stepSequences = fc.array(step, { minLength: 1, maxLength: 5 })
