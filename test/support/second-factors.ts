import assert from 'node:assert/strict'
import { codeAt } from '../../src/hosts/identity/factors/authenticator-app.ts'
import {
  type Browser,
  createPkce,
  type Fields,
  openBrowser,
  type Page,
  postSignIn,
  signedIn,
} from './browser.ts'
import type { IdentityUnderTest } from './identity-host.ts'
import { submit } from './registered-clients.ts'

type Host = Pick<IdentityUnderTest, 'address' | 'clock'>

export interface TestApp {
  readonly recoveryCodes: readonly string[]
  /** Returns the code that the app shows now, or `steps` time steps later. */
  code(steps?: number): string
}

export const testApp = (host: Host, secret: string, recoveryCodes: readonly string[] = []): TestApp => ({
  recoveryCodes,
  code: (steps = 0) => codeAt(fromBase32(secret), Math.floor(host.clock.now() / 30_000) + steps),
})

/** Sends a request about factors like the web client. With a form, it is a POST request. */
export function askFactors(host: Host, token: string, path = '', form?: Fields): Promise<Page> {
  const headers = { authorization: `Bearer ${token}` }
  const browser = openBrowser(host.address)
  return form === undefined
    ? browser.get(`/ext/factors${path}`, {}, headers)
    : browser.post(`/ext/factors${path}`, form, headers)
}

/** Sets up an app as the web client does. Signs in first if there is no access token. */
export async function setUpApp(host: Host, login: string, accessToken?: string): Promise<TestApp> {
  const token = accessToken ?? (await signedIn(host.address, { login })).tokens.access_token
  const offer = await askFactors(host, token, '/app', {})
  assert.equal(offer.status, 200, offer.text)
  const app = testApp(host, offer.json.secret)
  const confirmed = await askFactors(host, token, '/app/confirm', {
    offer: offer.json.offer,
    code: app.code(),
  })
  assert.equal(confirmed.status, 200, confirmed.text)
  // The code that confirmed the app cannot be used again.
  host.clock.advance(30_000)
  return testApp(host, offer.json.secret, confirmed.json.recoveryCodes ?? [])
}

/** Signs in with the right password, up to the page for the second step. */
export async function atSecondStep(
  host: Host,
  login: string,
  { browser = openBrowser(host.address), request = {} }: { browser?: Browser; request?: Fields } = {},
) {
  const pkce = createPkce()
  const page = await browser.follow(await postSignIn(browser, pkce, { login, request }))
  return { browser, pkce, page, answer: (code: string) => submit(browser, page, { code }, host.address) }
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
