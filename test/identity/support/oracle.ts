import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { origin, otherOrigin, robot } from '../../support/known-clients.ts'

export interface Oracle {
  readonly address: string
  stop(): Promise<void>
}

/** A certified provider with our clients, where everybody who is asked to sign in is signed in at once. */
export async function startOracle(): Promise<Oracle> {
  let answer: Parameters<typeof createServer>[1]
  const server = createServer((request, response) => answer?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(address, configuration)
  const serve = provider.callback()
  answer = (request, response) => {
    if (!request.url?.startsWith(signInPath)) return serve(request, response)
    void provider.interactionFinished(request, response, { login: { accountId } })
  }
  return {
    address,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const signInPath = '/sign-in/'

const accountId = 'ada'
const scopes = ['openid', 'profile', 'offline_access', 'svc.api', 'svc.grpc']

const configuration = {
  adapter: memoryAdapter(),
  clients: [
    {
      client_id: 'svc-webclient',
      token_endpoint_auth_method: 'none',
      redirect_uris: [origin, otherOrigin].map((allowed) => `${allowed}/signin-callback/`),
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'openid profile offline_access svc.api',
    },
    {
      client_id: robot.id,
      client_secret: robot.secret,
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
      scope: 'svc.api svc.grpc',
    },
  ],
  routes: {
    authorization: '/connect/authorize',
    token: '/connect/token',
    revocation: '/connect/revocation',
  },
  scopes,
  responseTypes: ['code', 'id_token'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: { enabled: false },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
  pkce: { required: () => true },
  cookies: { keys: ['a key of the oracle'] },
  jwks: {
    keys: [
      {
        ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
        alg: 'RS256',
        use: 'sig',
      },
    ],
  },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `${signInPath}${uid}` },
  findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  async loadExistingGrant({ oidc }: GrantContext) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    })
    grant.addOIDCScope(scopes.join(' '))
    await grant.save()
    return grant
  },
  renderError(context: { type: string; body: string }, { error }: { error: string }) {
    context.type = 'application/json'
    context.body = JSON.stringify({ error })
  },
  ttl: Object.fromEntries(
    [
      'AccessToken',
      'AuthorizationCode',
      'ClientCredentials',
      'Grant',
      'IdToken',
      'Interaction',
      'RefreshToken',
      'Session',
    ].map((name) => [name, 3600]),
  ),
}

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
  }
}

/** What the package calls an adapter, without its warning about being for development only. */
function memoryAdapter() {
  const models = new Map<string, Record<string, unknown>>()
  return (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`
    return {
      upsert: async (id: string, payload: Record<string, unknown>) => void models.set(keyOf(id), payload),
      find: async (id: string) => models.get(keyOf(id)),
      findByUid: async (uid: string) => [...models.values()].find((payload) => payload.uid === uid),
      destroy: async (id: string) => void models.delete(keyOf(id)),
      consume: async (id: string) =>
        void Object.assign(models.get(keyOf(id)) ?? {}, { consumed: Date.now() }),
      async revokeByGrantId(grantId: string) {
        for (const [key, payload] of models) if (payload.grantId === grantId) models.delete(key)
      },
    }
  }
}
