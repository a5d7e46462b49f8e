/** What all tabs of this browser share. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly idToken: string
  /** By this browser's clock, in milliseconds. */
  readonly expiresAt: number
  /** The refresh token is being used. Left behind by a tab that closed meanwhile, so the token may be spent. */
  readonly isSpending?: boolean
}

/** The session is over although nobody signed out here. */
export interface EndedSession {
  readonly hasEnded: true
}

export type StoredSession = Tokens | EndedSession

export const isOver = (stored: StoredSession): stored is EndedSession => 'hasEnded' in stored

const key = 'tracker.session'

export function readSession(): StoredSession | undefined {
  const text = localStorage.getItem(key)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const writeSession = (session: StoredSession): void =>
  localStorage.setItem(key, JSON.stringify(session))

export const forgetSession = (): void => localStorage.removeItem(key)

/** Tells what other tabs did; a tab hears nothing of its own writes. */
export function onSessionChange(listener: () => void): void {
  addEventListener('storage', (event) => {
    // A cleared store names no key.
    if (event.key === key || event.key === null) listener()
  })
}
