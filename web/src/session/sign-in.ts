import { currentLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import type { Configuration } from './configuration.ts'
import { claimsOf, discover, ProviderError, requestTokens } from './provider.ts'
import { createTokens, type Tokens } from './session.ts'

/** The state of this tab while the browser is at the provider. */
interface Attempt {
  readonly verifier: string
  readonly nonce: string
  readonly returnTo: string
}

/** The key of the stored login, which the sign-in page restores when the provider returns after a failure. */
export const loginKey = 'tracker.login'

const scopes = 'openid profile svc.api offline_access'
const callbackPath = '/signin-callback/'
const attemptPrefix = 'tracker.sign-in.'
const attemptKey = (state: string) => attemptPrefix + state

/**
 * Returns whether this tab has started a sign-in at the provider and not completed it. It may have a session
 * nevertheless.
 */
export const isSigningIn = (): boolean =>
  Object.keys(sessionStorage).some((key) => key.startsWith(attemptPrefix))

export interface SignInOptions {
  /** Users have to sign in even if the provider has a session. */
  readonly forcePrompt?: boolean
}

/**
 * Redirects to the provider (RFC 6749, 4.1.1 and RFC 7636), and returns to `returnTo`, an address of this
 * site.
 */
export async function startSignIn(
  configuration: Configuration,
  returnTo: string,
  { forcePrompt = false }: SignInOptions = {},
): Promise<void> {
  const { provider, parameters } = await beginAttempt(configuration, returnTo)
  if (forcePrompt) parameters.set('prompt', 'login')
  location.assign(`${provider.authorization_endpoint}?${parameters}`)
}

/** Signs in with a password that the user has just chosen, by posting the same form as the sign-in page. */
export async function signInWithPassword(
  configuration: Configuration,
  credentials: { readonly login: string; readonly password: string },
  returnTo: string,
): Promise<void> {
  const { parameters } = await beginAttempt(configuration, returnTo)
  const form = document.createElement('form')
  form.method = 'post'
  form.action = `${configuration.issuer}/api/account/login`
  for (const [name, value] of [...parameters, ...Object.entries(credentials)]) {
    const input = document.createElement('input')
    Object.assign(input, { type: 'hidden', name, value })
    form.append(input)
  }
  document.body.append(form)
  form.submit()
}

/** Stores a new attempt, and returns the parameters of its authorization request. */
async function beginAttempt(configuration: Configuration, returnTo: string) {
  const provider = await discover(configuration)
  const attempt: Attempt = { verifier: randomText(), nonce: randomText(), returnTo }
  const state = randomText()
  sessionStorage.setItem(attemptKey(state), JSON.stringify(attempt))
  const parameters = new URLSearchParams({
    client_id: configuration.clientId,
    response_type: 'code',
    redirect_uri: location.origin + callbackPath,
    scope: scopes,
    state,
    nonce: attempt.nonce,
    code_challenge: await sha256(attempt.verifier),
    code_challenge_method: 'S256',
    ui_locales: currentLanguage().id,
  })
  return { provider, parameters }
}

/**
 * Exchanges the response in the address of the callback page for tokens, and returns the requested address.
 */
export async function completeSignIn(
  configuration: Configuration,
  response: URLSearchParams,
): Promise<{ readonly tokens: Tokens; readonly returnTo: string }> {
  const { verifier, nonce, returnTo } = consumeAttempt(response)
  const provider = await discover(configuration)
  const issuer = response.get('iss')
  // A response of another provider is rejected (RFC 9207). A response without an issuer is rejected if the
  // provider supports this parameter.
  const isIssuerMissing = issuer === null && provider.authorization_response_iss_parameter_supported === true
  if (isIssuerMissing || (issuer !== null && issuer !== provider.issuer))
    throw new ProviderError('invalid_request', t('This response comes from another sign-in service.'))
  const error = response.get('error')
  if (error !== null) throw new ProviderError(error, response.get('error_description') ?? undefined)
  const tokens = await requestTokens(provider, configuration, {
    grant_type: 'authorization_code',
    code: response.get('code') ?? '',
    redirect_uri: location.origin + callbackPath,
    code_verifier: verifier,
  })
  const claims = claimsOf(tokens.id_token)
  if (claims.nonce !== nonce || claims.iss !== provider.issuer || claims.aud !== configuration.clientId)
    throw new ProviderError('invalid_token', t('The identity token belongs to another sign-in.'))
  return { tokens: createTokens(tokens), returnTo }
}

/** Returns the attempt that the response belongs to, and deletes it, because it accepts only one response. */
function consumeAttempt(response: URLSearchParams): Attempt {
  const key = attemptKey(response.get('state') ?? '')
  const stored = sessionStorage.getItem(key)
  if (stored === null) throw new ProviderError('invalid_request', t('This sign-in was not started here.'))
  sessionStorage.removeItem(key)
  return JSON.parse(stored)
}

/** 256 random bits, for verifiers, states and nonces alike. */
const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)))

const sha256 = async (text: string): Promise<string> =>
  base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
