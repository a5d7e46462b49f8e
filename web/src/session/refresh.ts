import type { Configuration } from './configuration.ts'
import { askForTokens, discover, ProviderError } from './provider.ts'
import { storableTokens } from './sign-in.ts'
import { isOver, readSession, type Tokens, writeSession } from './stored-session.ts'

/**
 * A successor for `old`, or undefined when the session is over. One tab at a time: a second use of a refresh token ends
 * the session for all of them, so a tab that comes later finds what the first one got.
 */
export function refresh(configuration: Configuration, old: Tokens): Promise<Tokens | undefined> {
  return navigator.locks.request('tracker.refresh', async () => {
    const stored = readSession()
    if (stored === undefined || isOver(stored)) return undefined
    if (stored.accessToken !== old.accessToken) return stored
    // The tab that began this is gone, and with it the successor.
    if (stored.isSpending) return over()
    return spend(configuration, stored)
  })
}

/** For a page that has just been opened: a refresh whose tab is gone will never end. */
export function settleRefresh(): Promise<void> {
  return navigator.locks.request('tracker.refresh', async () => {
    const stored = readSession()
    if (stored !== undefined && !isOver(stored) && stored.isSpending) over()
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
    // Signed out meanwhile: what came too late must not bring the session back.
    if (readSession() === undefined) return undefined
    const tokens = storableTokens(answer)
    writeSession(tokens)
    return tokens
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'invalid_grant') return over()
    // The provider was out of reach or busy, and took nothing.
    if (readSession() !== undefined) writeSession(stored)
    throw error
  }
}

function over(): undefined {
  if (readSession() !== undefined) writeSession({ hasEnded: true })
}
