import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { TestIssuer } from '../../test/support/test-issuer.ts'
import { startHost } from '../child-process.ts'
import type { LoadRequest } from '../load.ts'
import { type ScenarioName, scenariosFor } from '../rest/scenarios.ts'
import { type SeededStore, seedStore } from '../rest/seed.ts'

export const verbs = ['get', 'list 20', 'update', 'create'] as const
export type Verb = (typeof verbs)[number]

/** One of the compared systems: a host on its own database in the same server. */
export interface System {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** Makes one request. `count` is the number of requests so far, including this one. */
  readonly makeRequest: Readonly<Record<Verb, (count: number) => LoadRequest>>
  stop(): void
}

export interface OwnData {
  readonly seeded: SeededStore
  readonly token: string
}

/** Fills a database with the data of the REST benchmark, and signs in the member that sends the requests. */
export async function fillOwnDatabase(url: string, issuer: TestIssuer): Promise<OwnData> {
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
  /** The working copy of the host, if it is not this one. */
  readonly tree?: string
}

export async function startOwnHost({
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
  return { name, pid: host.pid ?? 0, port, makeRequest: requestMakersOf(data), stop: () => void host.kill() }
}

/**
 * Returns a function for each verb that makes its requests. `lean-host.ts` serves the same paths as the REST
 * host, so the requests suit both.
 */
export function requestMakersOf({ seeded, token }: OwnData): System['makeRequest'] {
  const byName = new Map<ScenarioName, (count: number) => LoadRequest>(
    scenariosFor(seeded, token).map(({ name, makeRequest }) => [name, makeRequest]),
  )
  const makerOf = (verb: Verb) => byName.get(verb) as System['makeRequest'][Verb]
  return {
    get: makerOf('get'),
    'list 20': makerOf('list 20'),
    update: makerOf('update'),
    create: makerOf('create'),
  }
}
