import type { Factors } from './factors.ts'
import type { Send } from './send.ts'
import type {
  AdministratorList,
  Consent,
  DeactivationList,
  NewToken,
  OutsideIdentity,
  Session as SignIn,
  Token,
  TokenCreate,
} from './types.ts'

/** Sessions, credentials and tokens of the user's own account. Part of the extensions. */
export interface Access {
  sessions(): Promise<readonly SignIn[]>
  endSession(id: string): Promise<void>
  endAllSessions(): Promise<void>
  identities(): Promise<readonly OutsideIdentity[]>
  disconnectIdentity(id: string): Promise<void>
  consents(): Promise<readonly Consent[]>
  withdrawConsent(clientId: string): Promise<void>
  tokens(): Promise<readonly Token[]>
  makeToken(wish: TokenCreate): Promise<NewToken>
  endToken(id: string): Promise<void>
}

export function createAccess(send: Send): Access {
  const read = async (path: string) => (await send({ path })).json()
  const end = async (path: string, id: string) => {
    await send({ method: 'DELETE', path, body: { ids: [id] } })
  }
  return {
    sessions: async () => (await read('/ext/sessions')).sessions,
    endSession: (id) => end('/ext/sessions', id),
    async endAllSessions() {
      await send({ method: 'POST', path: '/ext/sessions/end-all', body: {} })
    },
    identities: async () => (await read('/ext/identities')).identities,
    async disconnectIdentity(id) {
      await send({ method: 'DELETE', path: '/ext/identities', body: { id } })
    },
    consents: async () => (await read('/ext/consents')).consents,
    async withdrawConsent(clientId) {
      await send({ method: 'DELETE', path: '/ext/consents', body: { clientId } })
    },
    tokens: async () => (await read('/ext/tokens')).tokens,
    makeToken: async (body) => (await send({ method: 'POST', path: '/ext/tokens', body })).json(),
    endToken: (id) => end('/ext/tokens', id),
  }
}

export interface AccessState {
  /** Set for a role in the database; administrators named by the settings have none. */
  readonly hasRole: boolean
  readonly isDeactivated: boolean
  /** Set where the account has a second factor in addition to the password. */
  readonly hasFactor: boolean
}

/** Actions of administrators on an account, in addition to changing its row. Part of the extensions. */
export interface UserAccess {
  state(userId: string): Promise<AccessState>
  setRole(userId: string, isGiven: boolean): Promise<void>
  setDeactivated(userId: string, isDeactivated: boolean): Promise<void>
  endSessions(userId: string): Promise<void>
  takeFactorsAway(userId: string): Promise<void>
}

export function createUserAccess(send: Send, factors: Factors): UserAccess {
  const read = async <Answer>(path: string): Promise<Answer> => (await send({ path })).json()
  const set = async (path: string, userId: string, isOn: boolean) => {
    await send({ method: isOn ? 'POST' : 'DELETE', path, body: { userId } })
  }
  return {
    async state(userId) {
      const [{ administrators }, { deactivations }, hasFactor] = await Promise.all([
        read<AdministratorList>('/ext/administrators'),
        read<DeactivationList>(`/ext/deactivations?ids=${userId}`),
        factors.hasFactor(userId).catch(() => false),
      ])
      return {
        hasRole: administrators.some((one) => one.userId === userId),
        isDeactivated: deactivations.length > 0,
        hasFactor,
      }
    },
    setRole: (userId, isGiven) => set('/ext/administrators', userId, isGiven),
    setDeactivated: (userId, isDeactivated) => set('/ext/deactivations', userId, isDeactivated),
    async endSessions(userId) {
      await send({ method: 'POST', path: '/ext/sessions/end-all', body: { userId } })
    },
    takeFactorsAway: factors.takeAway,
  }
}
