import { timestamp } from '../../db/columns.ts'
import type { Database, Queries } from '../../db/database.ts'
import type { KnownClients } from '../../db/instances.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { WarningLog } from '../../model/budget.ts'
import { webClientId } from '../../model/oidc-client.ts'
import {
  type Client,
  type ClientSettings,
  type Clients,
  type ClientWithSecretHash,
  clientsOf,
  registeredClient,
  scriptOriginsOf,
} from './values/clients.ts'

interface ClientRegistry {
  /** The clients of the settings and the registered clients. */
  readonly clients: Clients
  readonly scriptOrigins: ReadonlySet<string>
  /** Reloads the clients that administrators have registered, changed and ended. */
  refreshClients(): Promise<void>
  /** The clients other than the web client, for the record of running instances. */
  readonly knownClients: KnownClients
}

/** Higher than the number of clients that administrators may register, so that none is left out. */
const storedClientsMax = 1000

/**
 * Reads the clients. Both collections are updated in place, so that code holding a reference always sees the
 * current clients.
 */
export async function openClients(
  database: Database,
  settings: ClientSettings & { readonly extensions: boolean },
  now: () => number,
  log: WarningLog,
): Promise<ClientRegistry> {
  const clients = new Map<string, Client>()
  const scriptOrigins = new Set<string>()
  let currentText: string | undefined
  const refreshClients = async () => {
    const stored = settings.extensions ? await findStoredClients(database) : []
    const text = JSON.stringify(stored)
    if (text === currentText) return
    // A client of the settings overrides a stored client with the same id.
    const next = new Map([
      ...stored.map((client): [string, Client] => [client.id, registeredClient(client)]),
      ...clientsOf(settings),
    ])
    replace(clients, next)
    scriptOrigins.clear()
    for (const origin of scriptOriginsOf(next)) scriptOrigins.add(origin)
    currentText = text
  }
  await refreshClients()
  const knownClients: KnownClients = {
    ids: () => [...clients.keys()].filter((id) => id !== webClientId),
    async record(transaction, { goneBefore, isStart }) {
      // The issue time of tokens has whole seconds.
      const thisSecond = timestamp(Math.floor(now() / 1000) * 1000)
      await (isStart
        ? recordClients(transaction, clients, thisSecond)
        : restoreRetired(transaction, clients, thisSecond))
      for (const client of await retireUnknown(transaction, goneBefore))
        log.warn({ client }, 'A client was retired: no running instance has it in its settings.')
    },
  }
  return { clients, scriptOrigins, refreshClients, knownClients }
}

async function findStoredClients(database: Database): Promise<ClientWithSecretHash[]> {
  const rows = await database.query<ClientWithSecretHash & { readonly hash: Buffer | null }>(sql`
    select id, name, secret_hash as hash, scopes, redirect_uris as "redirectUris",
      post_logout_redirect_uris as "postLogoutRedirectUris", is_first_party as "isFirstParty",
      requires_pkce as "requiresPkce"
    from registered_clients where ended_at is null order by id limit ${storedClientsMax}::int`)
  return rows.map(({ hash, ...client }) => ({ ...client, secretHash: hash ?? undefined }))
}

/** Synchronous, so that no request sees half of the clients. */
function replace(clients: Map<string, Client>, next: Clients): void {
  clients.clear()
  for (const [id, client] of next) clients.set(id, client)
}

/**
 * Records which clients an instance knows when it starts. If the operator has ended a client (`client end`),
 * new tokens are accepted again, because the settings may have a new secret. Earlier tokens stay rejected.
 */
async function recordClients(transaction: Queries, clients: Clients, thisSecond: Sql): Promise<void> {
  const ids = [...clients.keys()].filter((id) => id !== webClientId).toSorted()
  const names = ids.map((id) => clients.get(id)?.registration?.name ?? id)
  await transaction.query(sql`
    insert into service_clients as existing (id, name)
    select id, name from unnest(${ids}::text[], ${names}::text[]) as current(id, name) order by id
    on conflict (id) do update set name = excluded.name, retired_at = null,
      valid_since = coalesce(existing.valid_since, ${thisSecond})`)
}

/**
 * Restores clients of this instance that others have retired, for example while it could not reach the
 * database.
 */
async function restoreRetired(transaction: Queries, clients: Clients, thisSecond: Sql): Promise<void> {
  await transaction.query(sql`
    update service_clients set valid_since = ${thisSecond}, retired_at = null
    where id = any(${[...clients.keys()]}::text[]) and retired_at is not null`)
}

/**
 * Retires the clients that no instance knows any more, and returns their ids. Tokens of clients that were
 * removed from the settings must be rejected. An instance that was last seen after `goneBefore` counts,
 * because it may be restarting.
 */
async function retireUnknown(transaction: Queries, goneBefore: Sql): Promise<readonly string[]> {
  const retired = await transaction.query<{ id: string }>(sql`
    update service_clients set valid_since = null, retired_at = now()
    where valid_since is not null and id <> all(
      select unnest(clients) from instances where seen_at > ${goneBefore})
    returning id`)
  return retired.map(({ id }) => id)
}
