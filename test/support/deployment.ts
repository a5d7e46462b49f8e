import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { password } from './cheap-passwords.ts'
import { type ChildHost, freePort, startChild } from './child-host.ts'
import { startClientPages } from './client-pages.ts'
import { freshDatabase } from './fresh-database.ts'
import { type Account, insertAccount } from './insert-account.ts'
import { robot } from './known-clients.ts'
import { type RoundRobin, startRoundRobin } from './round-robin.ts'

export interface Deployment {
  readonly identity: RoundRobin
  readonly rest: RoundRobin
  /** Of the browser client. */
  readonly origin: string
  /** Signs in with `password`. */
  readonly person: Account
  stop(): Promise<void>
}

/** `npm start` twice on one store, each request to the next instance: both hosts as behind a load balancer. */
export async function startDeployment(): Promise<Deployment> {
  const [store, identity, rest] = await Promise.all([freshDatabase(), startRoundRobin(), startRoundRobin()])
  const { origin, stop: stopPages } = await startClientPages(identity.address)
  const passwordHash = await createPasswords().hash(password)
  const [person] = await Promise.all([
    insertAccount(store.database, { login: 'ada@example.com', passwordHash }),
    insertAccount(store.database, { login: robot.login }),
  ])
  const instances = await Promise.all(
    [1, 2].map(() => startInstance({ DATABASE_URL: store.url, Jwt__Issuer: identity.address, origin })),
  )
  for (const instance of instances) {
    rest.targets.push(instance.child.address)
    identity.targets.push(instance.identityAddress)
  }
  return {
    identity,
    rest,
    origin,
    person,
    async stop() {
      await Promise.all(instances.map((instance) => instance.stop()))
      await Promise.all([identity.stop(), rest.stop(), stopPages()])
      await store.drop()
    },
  }
}

interface Instance {
  readonly child: ChildHost
  readonly identityAddress: string
  stop(): Promise<void>
}

async function startInstance({ origin, ...common }: Readonly<Record<string, string>>): Promise<Instance> {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-flow-'))
  const identityPort = String(await freePort())
  const identityAddress = `http://127.0.0.1:${identityPort}`
  const child = await startChild({
    ...common,
    DATA_DIR: folder,
    IDENTITY_PORT: identityPort,
    // The load balancer has no instances yet, and an instance may read its own metadata.
    Jwt__MetadataAddress: `${identityAddress}/.well-known/openid-configuration`,
    Jwt__SigningKey: 'the secret that both instances share',
    Auth__SessionValidationCacheSeconds: '0',
    Cors__AllowedOrigins__0: origin ?? '',
    RateLimit__Identity__PermitLimit: '0',
    [`Identity__ServiceClients__${robot.id}__Secret`]: robot.secret,
    [`Identity__ServiceClients__${robot.id}__Login`]: robot.login,
  })
  return {
    child,
    identityAddress,
    async stop() {
      await child.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
