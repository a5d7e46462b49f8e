import type { Factors } from './factors.ts'
import type { Send } from './send.ts'
import type { AdministratorList, DeactivationList } from './types.ts'

export interface AccessState {
  /** By a role in the store; those whom the settings name have none. */
  readonly hasRole: boolean
  readonly isDeactivated: boolean
  /** Beside the password. */
  readonly hasFactor: boolean
}

/** What administrators may do to an account beside changing its row. Part of the extensions. */
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
