import type { Database } from '../../store/database.ts'
import { sql } from '../../store/sql.ts'
import {
  type Client,
  type ClientSettings,
  type Clients,
  clientsOf,
  registeredClient,
  type StoredClient,
  scriptOriginsOf,
} from './clients.ts'
import { noteClients } from './note-clients.ts'

export interface OpenClients {
  /** As they are now: those of the settings, and those that administrators have made. */
  readonly clients: Clients
  readonly scriptOrigins: ReadonlySet<string>
  /** Looks again at what administrators have made, changed and ended. */
  refreshClients(): Promise<void>
}

/** Above the number of clients that administrators may make, so that none is left out. */
const storedMax = 1000

/** Both collections are updated in place, so code that was given them always sees the current clients. */
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
    // A client of the settings replaces a stored one with the same id.
    const next = new Map([
      ...stored.map((client): [string, Client] => [client.id, registeredClient(client)]),
      ...clientsOf(settings),
    ])
    // Only at the start. Later, ending a client writes its own note, and other instances may have other settings.
    if (known === undefined) await noteClients(database, next, now())
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

/** Without a pause in between, so that no request sees half of the clients. */
function replace(clients: Map<string, Client>, next: Clients): void {
  clients.clear()
  for (const [id, client] of next) clients.set(id, client)
}
