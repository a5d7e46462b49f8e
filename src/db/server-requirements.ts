import type pg from 'pg'

export interface ServerFacts {
  readonly version: string
  /** The version as a number that can be compared: 150004 is 15.4. */
  readonly versionNumber: number
  /** The encoding of the database, which may differ from the server's default. */
  readonly encoding: string
}

export async function readServerFacts(client: pg.ClientBase): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(
    `select current_setting('server_version') as version,
       current_setting('server_version_num')::int as "versionNumber", current_setting('server_encoding') as encoding`,
  )
  return rows[0] as ServerFacts
}

/** The oldest release whose SQL we use, and against which the gate runs the tests. */
const oldestVersion = 15

/** Explains why this server cannot hold a store, and what to do; undefined when it can. */
export function explainUnsuitable({ version, versionNumber, encoding }: ServerFacts): string | undefined {
  if (versionNumber < oldestVersion * 10_000)
    return `The database server is PostgreSQL ${version}. Use ${oldestVersion} or newer.`
  // Other encodings cannot store every character, and count and sort texts differently.
  if (encoding !== 'UTF8')
    return `The encoding of the database is ${encoding}. Create the database with: create database … encoding 'UTF8' template template0.`
  return undefined
}

/** Rejects before anything is written to the database. */
export async function requireSuitableServer(client: pg.ClientBase): Promise<void> {
  const problem = explainUnsuitable(await readServerFacts(client))
  if (problem !== undefined) throw new Error(problem)
}
