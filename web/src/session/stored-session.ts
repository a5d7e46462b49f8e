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

export type StoredSession = Tokens | EndedSession

export const isEnded = (stored: StoredSession): stored is EndedSession => 'hasEnded' in stored

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

export const deleteSession = (): void => localStorage.removeItem(key)

/** Reports changes by other tabs; a tab does not receive its own writes. */
export function onSessionChange(listener: () => void): void {
  addEventListener('storage', (event) => {
    // Clearing the storage names no key.
    if (event.key === key || event.key === null) listener()
  })
}
