import type { Database } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { webClientId } from '../../model/client.ts'
import {
  type Client,
  type ClientSettings,
  type Clients,
  clientsOf,
  registeredClient,
  type StoredClient,
  scriptOriginsOf,
} from './values/clients.ts'
import { timestamp } from './values/timestamps.ts'

export interface OpenClients {
  /** The current clients: those of the settings, and those that administrators have registered. */
  readonly clients: Clients
  readonly scriptOrigins: ReadonlySet<string>
  /** Reloads the clients that administrators have registered, changed and ended. */
  refreshClients(): Promise<void>
}

/** Higher than the number of clients that administrators may register, so that none is left out. */
const storedMax = 1000

/**
 * Both collections are updated in place, so that code holding a reference always sees the current clients.
 */
export async function openClients(
  database: Database,
  settings: ClientSettings & { readonly extensions: boolean },
  now: () => number,
): Promise<OpenClients> {
  const clients = new Map<string, Client>()
  const scriptOrigins = new Set<string>()
  let known: string | undefined
  const refreshClients = async () => {
    const stored = settings.extensions ? await readStored(database) : []
    const text = JSON.stringify(stored)
    if (text === known) return
    // A client of the settings overrides a stored one with the same id.
    const next = new Map([
      ...stored.map((client): [string, Client] => [client.id, registeredClient(client)]),
      ...clientsOf(settings),
    ])
    // Only at the start. Later, ending a client is recorded by the request that ends it, and other instances
    // may have other settings.
    if (known === undefined) await recordClients(database, next, now())
    replace(clients, next)
    scriptOrigins.clear()
    for (const origin of scriptOriginsOf(next)) scriptOrigins.add(origin)
    known = text
  }
  await refreshClients()
  return { clients, scriptOrigins, refreshClients }
}

async function readStored(database: Database): Promise<StoredClient[]> {
  const rows = await database.query<StoredClient & { readonly hash: Buffer | null }>(sql`
    select id, name, secret_hash as hash, scopes, redirect_uris as "redirectUris",
      post_logout_redirect_uris as "postLogoutRedirectUris", is_first_party as "isFirstParty",
      requires_pkce as "requiresPkce"
    from registered_clients where ended_at is null order by id limit ${storedMax}::int`)
  return rows.map(({ hash, ...client }) => ({ ...client, secretHash: hash ?? undefined }))
}

/** Synchronous, so that no request sees half of the clients. */
function replace(clients: Map<string, Client>, next: Clients): void {
  clients.clear()
  for (const [id, client] of next) clients.set(id, client)
}

/**
 * Records for the other hosts which clients the settings name: tokens of a client that was removed from the
 * settings stop working. The settings of the instance that started last win, as with a new deployment.
 */
async function recordClients(database: Database, clients: Clients, now: number): Promise<void> {
  const others = [...clients.values()].filter(({ id }) => id !== webClientId)
  const ids = others.map(({ id }) => id).toSorted()
  const names = ids.map((id) => clients.get(id)?.registration?.name ?? id)
  // The issue time of tokens has whole seconds.
  const thisSecond = timestamp(Math.floor(now / 1000) * 1000)
  await database.transaction(async (transaction) => {
    // Two instances that start concurrently write in the same order.
    await transaction.query(sql`
      insert into service_clients as known (id, name)
      select id, name from unnest(${ids}::text[], ${names}::text[]) as given(id, name) order by id
      on conflict (id) do update set name = excluded.name, valid_since = coalesce(known.valid_since, ${thisSecond})`)
    await transaction.query(sql`
      update service_clients set valid_since = null
      where id in (
        select id from service_clients where id <> all(${ids}::text[]) and valid_since is not null
        order by id for update
      )`)
  })
}
