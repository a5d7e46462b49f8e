import type { Send } from './send.ts'
import type { Consent, NewToken, OutsideIdentity, Session as SignIn, Token, TokenCreate } from './types.ts'

/** Sign-ins, ways to sign in and tokens of the own account. Part of the extensions. */
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
