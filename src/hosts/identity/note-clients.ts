import { webClientId } from '../../model/web-client.ts'
import type { Database } from '../../store/database.ts'
import { sql } from '../../store/sql.ts'
import type { Clients } from './clients.ts'
import { moment } from './moment.ts'

/**
 * Tells the other hosts, through the store, which clients the settings name: tokens of one that has been removed from
 * them stop working. The settings of the instance that started last count, as with a new deployment.
 */
export async function noteClients(database: Database, clients: Clients, now: number): Promise<void> {
  const noted = [...clients.values()].filter(({ id }) => id !== webClientId)
  const ids = noted.map(({ id }) => id).toSorted()
  const names = ids.map((id) => clients.get(id)?.registration?.name ?? id)
  // Tokens have the moment of their issue in whole seconds.
  const thisSecond = moment(Math.floor(now / 1000) * 1000)
  await database.transaction(async (transaction) => {
    // Two instances that start at once write in the same order.
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
