import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { TrackerError } from '#tracker-client'
import { currentLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import { type Configuration, requestTimeout } from './configuration.ts'
import {
  claimsOf,
  discover,
  type Provider,
  ProviderError,
  requestTokens,
  revoke,
  type TokenResponse,
  unansweredCode,
} from './provider.ts'

interface SignedInPerson {
  readonly id: string
  readonly name: string
  readonly login: string
  /** Controls only what is shown. The API decides about access. */
  readonly isAdministrator: boolean
}

export interface Session {
  readonly state: ReadonlySignal<'signed-out' | 'signed-in' | 'ended'>
  /** This stays set after the session has ended, so that the page does not change. */
  readonly person: ReadonlySignal<SignedInPerson | undefined>
  begin(tokens: Tokens): void
  /**
   * Returns a token that is valid for at least 90 seconds, after a refresh if necessary. While the provider
   * cannot be reached, returns the current token until it expires.
   */
  accessToken(): Promise<string>
  /** Returns a new token after the API has rejected the current one. */
  renewToken(rejected: string): Promise<string>
  /** Ends the session after the API has rejected even a new token. */
  end(): void
  /** Fails while the provider cannot be reached, because the session of the provider would continue. */
  signOut(): Promise<void>
  /** Before signing out, `erase` removes the data that this browser stores for the account. */
  onSignOut(erase: () => Promise<void>): void
}

export class SessionEndedError extends TrackerError {
  constructor() {
    super(401, t('Your session has ended. Sign in again, then repeat this; nothing you typed is lost.'))
  }
}

/**
 * Tokens are refreshed this long before they expire, because the network may be slow and clocks may differ.
 */
const refreshAheadMilliseconds = 90_000
/** The token is checked this often, because a timer does not run while a laptop sleeps. */
const checkEveryMilliseconds = 20_000

export function createSession(configuration: Configuration): Session {
  const stored = signal<StoredSession | undefined>(readSession())
  const erasers: (() => Promise<void>)[] = []
  let isLeaving = false
  const load = () => {
    // While the browser leaves for the provider, this page stays as it is.
    if (!isLeaving) stored.value = readSession()
  }
  onSessionChange(load)
  const requireTokens = (): Tokens => {
    const current = stored.peek()
    if (current === undefined || isEnded(current)) throw new SessionEndedError()
    return current
  }
  let renewing: Promise<string> | undefined
  /** Requests that need a new token at the same time share a refresh. */
  const renew = (old: Tokens): Promise<string> => {
    renewing ??= refreshInOneTab(configuration, old)
      .then((renewed) => {
        load()
        if (renewed === undefined) throw new SessionEndedError()
        return renewed.accessToken
      })
      .finally(() => {
        renewing = undefined
      })
    return renewing
  }
  const accessToken = async () => {
    const tokens = requireTokens()
    if (!expiresWithin(refreshAheadMilliseconds, tokens)) return tokens.accessToken
    return renew(tokens).catch((error) => {
      const current = requireTokens()
      if (expiresWithin(0, current)) throw error
      return current.accessToken
    })
  }
  const state = computed(() => stateOf(stored.value))
  setInterval(() => {
    if (state.peek() === 'signed-in') accessToken().catch(() => undefined)
  }, checkEveryMilliseconds)
  return {
    state,
    person: personSignal(stored),
    begin(tokens) {
      writeSession(tokens)
      load()
    },
    accessToken,
    async renewToken(rejected) {
      const tokens = requireTokens()
      return tokens.accessToken === rejected ? renew(tokens) : tokens.accessToken
    },
    end() {
      writeSession({ hasEnded: true })
      load()
    },
    async signOut() {
      const provider = await discover(configuration, { mustBeReachable: true })
      isLeaving = true
      await leave(provider, configuration, stored.peek(), erasers)
    },
    onSignOut: (erase) => void erasers.push(erase),
  }
}

const expiresWithin = (milliseconds: number, { expiresAt }: Tokens): boolean =>
  expiresAt - Date.now() < milliseconds

function stateOf(stored: StoredSession | undefined) {
  if (stored === undefined) return 'signed-out'
  return isEnded(stored) ? 'ended' : 'signed-in'
}

function personSignal(stored: ReadonlySignal<StoredSession | undefined>) {
  let last: SignedInPerson | undefined
  return computed(() => {
    const session = stored.value
    if (session === undefined || isEnded(session)) return last
    const access = claimsOf(session.accessToken)
    const person = {
      id: String(access.sub),
      login: String(access['svc:login'] ?? ''),
      name: String(claimsOf(session.idToken).name ?? access['svc:login'] ?? ''),
      // The contract's claim is the text 'true' or 'false'.
      isAdministrator: access['svc:admin'] === 'true',
    }
    // The same object is kept after a refresh, so that nothing is rendered again.
    if (JSON.stringify(person) !== JSON.stringify(last)) last = person
    return last
  })
}

/** Signs out in this tab and at the provider. Other tabs notice the change of the storage. */
async function leave(
  provider: Provider,
  configuration: Configuration,
  stored: StoredSession | undefined,
  erasers: readonly (() => Promise<void>)[],
): Promise<void> {
  deleteSession()
  sessionStorage.clear()
  await Promise.all(erasers.map((erase) => erase()))
  const parameters = new URLSearchParams({
    post_logout_redirect_uri: `${location.origin}/login/`,
    ui_locales: currentLanguage().id,
  })
  if (stored !== undefined && !isEnded(stored)) {
    // An error is harmless, because the provider then ends the session anyway.
    await revoke(provider, configuration, stored.refreshToken).catch(() => undefined)
    parameters.set('id_token_hint', stored.idToken)
  } else parameters.set('client_id', configuration.clientId)
  location.assign(`${provider.end_session_endpoint}?${parameters}`)
}

const refreshLock = 'tracker.refresh'

/**
 * Refreshes the tokens in one tab at a time, because a second use of a refresh token ends the session. A tab
 * that has waited uses the tokens of the other tab. Returns undefined if the session has ended.
 */
function refreshInOneTab(configuration: Configuration, old: Tokens): Promise<Tokens | undefined> {
  return navigator.locks.request(refreshLock, { signal: requestTimeout() }, async () => {
    const stored = readSession()
    if (stored === undefined || isEnded(stored)) return undefined
    if (stored.accessToken !== old.accessToken) return stored
    // Another tab was closed during a refresh, so the new tokens are lost.
    if (stored.isRefreshing) return replaceTokens(stored, { hasEnded: true })
    return exchangeRefreshToken(configuration, stored)
  })
}

/**
 * Ends the session if a tab was closed during a refresh, because the new tokens are lost. Waits for a refresh
 * in progress. Called at page load, when the page can still sign in automatically. Later, it would have to ask
 * the user.
 */
export async function endInterruptedRefresh(): Promise<void> {
  if (!isBeingRefreshed(readSession())) return
  const end = () => {
    const stored = readSession()
    if (isBeingRefreshed(stored)) replaceTokens(stored, { hasEnded: true })
  }
  await navigator.locks.request(refreshLock, { signal: requestTimeout() }, end).catch(() => undefined)
}

const isBeingRefreshed = (stored: StoredSession | undefined): stored is Tokens =>
  stored !== undefined && !isEnded(stored) && stored.isRefreshing === true

/** After these errors, the refresh token may be spent. */
const spentCodes: ReadonlySet<string> = new Set(['invalid_grant', unansweredCode])

async function exchangeRefreshToken(
  configuration: Configuration,
  stored: Tokens,
): Promise<Tokens | undefined> {
  // The provider must be reachable first. Otherwise the token would count as spent below.
  const provider = await discover(configuration, { mustBeReachable: true })
  if (!replaceTokens(stored, { ...stored, isRefreshing: true })) return undefined
  try {
    const response = await requestTokens(provider, configuration, {
      grant_type: 'refresh_token',
      refresh_token: stored.refreshToken,
    })
    return replaceTokens(stored, createTokens(response))
  } catch (error) {
    const mayBeSpent = !(error instanceof ProviderError) || spentCodes.has(error.code)
    // The token may be spent if the response was lost. It is not sent again, because a second use would end
    // the session in all apps and be recorded as a theft. The user signs in again here, usually without a
    // password.
    if (mayBeSpent) return replaceTokens(stored, { hasEnded: true })
    replaceTokens(stored, stored)
    throw error
  }
}

export const createTokens = (response: TokenResponse): Tokens => ({
  accessToken: response.access_token,
  refreshToken: response.refresh_token,
  idToken: response.id_token,
  expiresAt: Date.now() + response.expires_in * 1000,
})

/**
 * Stores `next` and returns its tokens, if any. Writes nothing if another tab has signed out or signed in
 * again since `old` was read. A late response must not change the session of that tab.
 */
function replaceTokens(old: Tokens, next: StoredSession): Tokens | undefined {
  const current = readSession()
  if (current === undefined || isEnded(current) || current.refreshToken !== old.refreshToken) return undefined
  writeSession(next)
  return isEnded(next) ? undefined : next
}

/** The tokens that all tabs of this browser share. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly idToken: string
  /** Milliseconds of this browser's clock. */
  readonly expiresAt: number
  /** True while a tab uses the refresh token. If that tab is closed meanwhile, the token may be spent. */
  readonly isRefreshing?: boolean
}

/** The session has ended without a sign-out here. */
interface EndedSession {
  readonly hasEnded: true
}

type StoredSession = Tokens | EndedSession

const isEnded = (stored: StoredSession): stored is EndedSession => 'hasEnded' in stored

const storageKey = 'tracker.session'

function readSession(): StoredSession | undefined {
  const text = localStorage.getItem(storageKey)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const writeSession = (session: StoredSession): void =>
  localStorage.setItem(storageKey, JSON.stringify(session))

export const deleteSession = (): void => localStorage.removeItem(storageKey)

/** Reports changes by other tabs. A tab does not receive its own writes. */
function onSessionChange(listener: () => void): void {
  addEventListener('storage', (event) => {
    // Clearing the storage names no key.
    if (event.key === storageKey || event.key === null) listener()
  })
}
