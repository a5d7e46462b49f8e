import { startCertifiedProvider } from '../../support/certified-provider.ts'
import { origin, otherOrigin, robot } from '../../support/known-clients.ts'

export interface Oracle {
  readonly address: string
  stop(): Promise<void>
}

/** Starts a certified provider with our clients. It signs users in without a page. */
export async function startOracle(): Promise<Oracle> {
  const { issuer, stop } = await startCertifiedProvider({
    scopes: ['openid', 'profile', 'offline_access', 'svc.api', 'svc.grpc'],
    models: [
      'AccessToken',
      'AuthorizationCode',
      'ClientCredentials',
      'Grant',
      'IdToken',
      'Interaction',
      'RefreshToken',
      'Session',
    ],
    configuration,
    signInAs: () => 'ada',
  })
  return { address: issuer, stop }
}

const configuration = {
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
  routes: { authorization: '/connect/authorize', token: '/connect/token', revocation: '/connect/revocation' },
  responseTypes: ['code', 'id_token'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: { enabled: false },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
  findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
}
