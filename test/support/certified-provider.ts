import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** The records of the provider, including its clients, by model and id. */
export type ProviderRecords = Map<string, Record<string, unknown>>

export interface CertifiedProviderOptions {
  readonly scopes: readonly string[]
  /** The models whose records are valid for an hour. */
  readonly models: readonly string[]
  readonly records?: ProviderRecords
  /** Settings in addition to those of `configurationOf`. */
  readonly configuration: Readonly<Record<string, unknown>>
  /** Returns the account that is signed in without interaction. */
  readonly signInAs: () => string
}

export interface CertifiedProvider {
  readonly issuer: string
  stop(): Promise<void>
}

export const signInPath = '/sign-in/'

/** Starts the npm package `oidc-provider` on its own port. The OpenID Foundation has certified it. */
export async function startCertifiedProvider(options: CertifiedProviderOptions): Promise<CertifiedProvider> {
  let answer: RequestListener | undefined
  const server = createServer((request, response) => answer?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configurationOf(options))
  const serve = provider.callback()
  answer = (request, response) => {
    if (!request.url?.startsWith(signInPath)) return serve(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: options.signInAs() } })
  }
  return {
    issuer,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const configurationOf = ({
  scopes,
  models,
  records = new Map(),
  configuration,
}: CertifiedProviderOptions) => ({
  ...configuration,
  adapter: adapterOn(records),
  scopes,
  pkce: { required: () => true },
  cookies: { keys: ['a key of the certified provider'] },
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
  ttl: Object.fromEntries(models.map((name) => [name, 3600])),
})

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
  }
}

/** Creates the storage adapter. The adapter of the package prints a warning. */
function adapterOn(records: ProviderRecords) {
  return (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`
    return {
      upsert: async (id: string, payload: Record<string, unknown>) => void records.set(keyOf(id), payload),
      find: async (id: string) => records.get(keyOf(id)),
      findByUid: async (uid: string) => [...records.values()].find((payload) => payload.uid === uid),
      destroy: async (id: string) => void records.delete(keyOf(id)),
      consume: async (id: string) =>
        void Object.assign(records.get(keyOf(id)) ?? {}, { consumed: Date.now() }),
      async revokeByGrantId(grantId: string) {
        for (const [key, payload] of records) if (payload.grantId === grantId) records.delete(key)
      },
    }
  }
}
