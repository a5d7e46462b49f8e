import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { raw } from '../../src/db/sql.ts'
import type { TestIssuer } from '../../test/support/test-issuer.ts'
import { startHost } from '../child-process.ts'
import type { LoadRequest } from '../load.ts'
import { type GrownStore, growStore, selectRows } from './seed.ts'

export interface Size {
  readonly rows: number
  readonly port: number
  readonly host: ChildProcess
  readonly store: GrownStore
  readonly tokens: Tokens
  /**
   * Returns tokens of people other than the member and the administrator, at most as many as the store has. Each
   * may have twenty live listings.
   */
  signIn(people: number): Promise<string[]>
  stop(): Promise<void>
}

/** Six hours, because filling the largest size may take longer than an ordinary token is valid. */
const longLived = { exp: Math.floor(Date.now() / 1000) + 6 * 60 * 60 }

interface Server {
  readonly dataDirectory: string
  /** The address of the server, in which each size is a database. */
  readonly url: string
  readonly issuer: TestIssuer
}

/** Opens a database and a host for one number of assignments. */
export async function openSize(
  rows: number,
  port: number,
  { dataDirectory, url, issuer }: Server,
): Promise<Size> {
  const startedAt = performance.now()
  const server = openDatabase({ url, applicationName: 'bench' })
  await server.singleWrites.query(raw(`create database growth_${rows}`))
  await server.close()
  const databaseUrl = url.replace(/\/[^/?]*(\?|$)/, `/growth_${rows}$1`)
  await migrate(databaseUrl)
  const database = openDatabase({ url: databaseUrl, applicationName: 'bench' })
  await growStore(databaseUrl, rows)
  const store = await selectRows(database)
  const tokens = {
    member: await issuer.signIn(database, store.member, { claims: longLived }),
    administrator: await issuer.signIn(database, store.administrator, { admin: true, claims: longLived }),
  }
  const host = await startHost('rest', {
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(dataDirectory, String(rows)),
    REST_PORT: String(port),
    Jwt__Issuer: issuer.issuer,
    SVC_ADMIN_LOGINS: 'person1@example.com',
  })
  console.log(`${rows} assignments were created in ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`)
  return {
    rows,
    port,
    host,
    store,
    tokens,
    signIn: (people) =>
      Promise.all(
        store.people.slice(0, people).map((id) => issuer.signIn(database, id, { claims: longLived })),
      ),
    async stop() {
      host.kill()
      await database.close()
    },
  }
}

interface Tokens {
  readonly member: string
  readonly administrator: string
}

/** A member sees 500 assignments at every size, an administrator all of them. */
export const scenarios: Readonly<
  Record<string, (store: GrownStore, tokens: Tokens) => (count: number) => LoadRequest>
> = {
  get:
    ({ assignments }, { member }) =>
    (count) =>
      read(member, `/api/assignment?id=${pick(assignments, count).id}`),
  'list of a project':
    ({ projects }, { member }) =>
    (count) =>
      read(member, `/api/assignments?pageSize=20&projectId=${pick(projects, count)}`),
  'list of a member':
    (_, { member }) =>
    () =>
      read(member, '/api/assignments?pageSize=20'),
  'list of an administrator':
    (_, { administrator }) =>
    () =>
      read(administrator, '/api/assignments?pageSize=20'),
  'search of a member':
    (_, { member }) =>
    (count) =>
      read(member, `/api/assignments?pageSize=20&search=${(count % 4096).toString(16).padStart(3, '0')}`),
  create:
    ({ assignments }, { member }) =>
    (count) => {
      const { id: _id, ...body } = pick(assignments, count)
      return write(member, 'POST', { ...body, id: randomUUID(), name: 'Created while measured' })
    },
  update:
    ({ assignments }, { member }) =>
    (count) =>
      write(member, 'PATCH', { ...pick(assignments, count), name: `Changed ${count} times` }),
}

const read = (token: string, path: string): LoadRequest => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${token}` },
})

const write = (token: string, method: string, body: object): LoadRequest => ({
  method,
  path: '/api/assignment',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const pick = <Item>(items: readonly Item[], count: number) => items[(count * 7919) % items.length] as Item
