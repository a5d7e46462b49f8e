import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { TestIssuer } from '../../test/support/test-issuer.ts'
import { startHost } from '../child-process.ts'
import type { Shot } from '../load.ts'
import { type ScenarioName, scenariosFor } from '../rest/scenarios.ts'
import { type SeededStore, seedStore } from '../rest/seed.ts'

export const verbs = ['get', 'list 20', 'update', 'create'] as const
export type Verb = (typeof verbs)[number]

/** One of the compared systems: a host on its own database in the same server. */
export interface System {
  readonly name: string
  readonly pid: number
  readonly port: number
  readonly shots: Readonly<Record<Verb, (count: number) => Shot>>
  stop(): void
}

export interface OwnData {
  readonly seeded: SeededStore
  readonly token: string
}

/** The data of the REST benchmark, with a session of the requesting member. */
export async function fillOwn(url: string, issuer: TestIssuer): Promise<OwnData> {
  await migrate(url)
  const database = openDatabase({ url, applicationName: 'bench' })
  try {
    const seeded = await seedStore(database)
    return { seeded, token: await issuer.signIn(database, seeded.member.id) }
  } finally {
    await database.close()
  }
}

interface Start {
  readonly name: string
  readonly url: string
  readonly port: number
  readonly dataDirectory: string
  readonly issuer: TestIssuer
  readonly data: OwnData
  /** Another working copy. */
  readonly tree?: string
}

export async function startOwn({
  name,
  url,
  port,
  dataDirectory,
  issuer,
  data,
  tree,
}: Start): Promise<System> {
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: dataDirectory,
    REST_PORT: String(port),
    Jwt__Issuer: issuer.issuer,
  }
  const host = await startHost('rest', environment, tree)
  return { name, pid: host.pid ?? 0, port, shots: shotsOf(data), stop: () => void host.kill() }
}

/** Requests to our paths; `lean-host.ts` serves the same ones. */
export function shotsOf({ seeded, token }: OwnData): System['shots'] {
  const byName = new Map<ScenarioName, (count: number) => Shot>(
    scenariosFor(seeded, token).map(({ name, shot }) => [name, shot]),
  )
  const shotOf = (verb: Verb) => byName.get(verb) as System['shots'][Verb]
  return {
    get: shotOf('get'),
    'list 20': shotOf('list 20'),
    update: shotOf('update'),
    create: shotOf('create'),
  }
}
