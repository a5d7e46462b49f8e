import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { TrackerError } from '#tracker-client'
import { currentLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import type { Configuration } from './configuration.ts'
import { askForTokens, claimsOf, discover, ProviderError, revoke } from './provider.ts'
import { storableTokens } from './sign-in.ts'
import {
  deleteSession,
  isEnded,
  onSessionChange,
  readSession,
  type StoredSession,
  type Tokens,
  writeSession,
} from './stored-session.ts'

export interface SignedInPerson {
  readonly id: string
  readonly name: string
  readonly login: string
  /** Only controls what is shown; the API makes the access decisions. */
  readonly isAdministrator: boolean
}

export interface Session {
  readonly state: ReadonlySignal<'signed-out' | 'signed-in' | 'ended'>
  /** Kept after the session has ended, so that the page does not change. */
  readonly person: ReadonlySignal<SignedInPerson | undefined>
  begin(tokens: Tokens): void
  /** Returns a token that stays valid for a short while. */
  accessToken(): Promise<string>
  /** Returns a new token after the API rejected this one. */
  renewedToken(rejected: string): Promise<string>
  /** Called when the API rejects even a fresh token. */
  end(): void
  signOut(): Promise<void>
}

export class SessionEndedError extends TrackerError {
  constructor() {
    super(401, t('Your session has ended. Sign in again, then repeat this; nothing you typed is lost.'))
  }
}

/** Refreshed this long before the token expires, which covers slow networks and clocks that differ. */
const refreshAheadMilliseconds = 90_000
/** Checked this often, because a timer does not run while a laptop sleeps. */
const checkEveryMilliseconds = 20_000

export function createSession(configuration: Configuration): Session {
  const stored = signal<StoredSession | undefined>(readSession())
  const adopt = () => {
    stored.value = readSession()
  }
  onSessionChange(adopt)
  const tokensOf = (): Tokens => {
    const current = stored.peek()
    if (current === undefined || isEnded(current)) throw new SessionEndedError()
    return current
  }
  const renew = async (old: Tokens): Promise<string> => {
    const renewed = await refresh(configuration, old)
    adopt()
    if (renewed === undefined) throw new SessionEndedError()
    return renewed.accessToken
  }
  const accessToken = async () => {
    const tokens = tokensOf()
    return isStale(tokens) ? renew(tokens) : tokens.accessToken
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
      adopt()
    },
    accessToken,
    async renewedToken(rejected) {
      const tokens = tokensOf()
      return tokens.accessToken === rejected ? renew(tokens) : tokens.accessToken
    },
    end() {
      writeSession({ hasEnded: true })
      adopt()
    },
    signOut: () => signOut(configuration, stored.peek()),
  }
}

const isStale = ({ expiresAt }: Tokens): boolean => expiresAt - Date.now() < refreshAheadMilliseconds

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
      isAdministrator: access['svc:admin'] === 'true',
    }
    // Keeps the same object after a refresh, so that nothing is rendered again.
    if (JSON.stringify(person) !== JSON.stringify(last)) last = person
    return last
  })
}

/** Signs out everywhere: the refresh token, the session at the provider, and the other tabs, which notice by themselves. */
async function signOut(configuration: Configuration, stored: StoredSession | undefined): Promise<void> {
  // Comes first, because without the provider the session would not end.
  const provider = await discover(configuration)
  deleteSession()
  sessionStorage.clear()
  const parameters = new URLSearchParams({
    post_logout_redirect_uri: `${location.origin}/login/`,
    ui_locales: currentLanguage().id,
  })
  if (stored !== undefined && !isEnded(stored)) {
    // The session ends next anyway, so a failure here is harmless.
    await revoke(provider, configuration, stored.refreshToken).catch(() => undefined)
    parameters.set('id_token_hint', stored.idToken)
  } else parameters.set('client_id', configuration.clientId)
  location.assign(`${provider.end_session_endpoint}?${parameters}`)
}

/**
 * The successor of `old`, or undefined when the session has ended. One tab at a time: a second use of a refresh token ends the
 * session for all of them, so a later tab uses the result of the first.
 */
function refresh(configuration: Configuration, old: Tokens): Promise<Tokens | undefined> {
  return navigator.locks.request('tracker.refresh', async () => {
    const stored = readSession()
    if (stored === undefined || isEnded(stored)) return undefined
    if (stored.accessToken !== old.accessToken) return stored
    // The tab that started this was closed, and its successor token is lost.
    if (stored.isSpending) return clear()
    return spend(configuration, stored)
  })
}

/** Runs when a page was just opened: a refresh of a closed tab will never end. */
export function settleRefresh(): Promise<void> {
  return navigator.locks.request('tracker.refresh', async () => {
    const stored = readSession()
    if (stored !== undefined && !isEnded(stored) && stored.isSpending) clear()
  })
}

async function spend(configuration: Configuration, stored: Tokens): Promise<Tokens | undefined> {
  const provider = await discover(configuration)
  writeSession({ ...stored, isSpending: true })
  try {
    const answer = await askForTokens(provider, configuration, {
      grant_type: 'refresh_token',
      refresh_token: stored.refreshToken,
    })
    // Signed out meanwhile: a late response must not restore the session.
    if (readSession() === undefined) return undefined
    const tokens = storableTokens(answer)
    writeSession(tokens)
    return tokens
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'invalid_grant') return clear()
    // The provider was unreachable or busy, and did not use the token.
    if (readSession() !== undefined) writeSession(stored)
    throw error
  }
}

function clear(): undefined {
  if (readSession() !== undefined) writeSession({ hasEnded: true })
}
