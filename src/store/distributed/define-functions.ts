import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { statementsOf } from '../statements-of.ts'

/** What a store of several nodes does in another way; also after a migration, which knows of one node only. */
export async function defineFunctions(client: pg.Client): Promise<void> {
  const text = await readFile(new URL('./functions.sql', import.meta.url), 'utf8')
  for (const statement of statementsOf(text)) await client.query(statement)
}

export async function isDistributed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>(`select to_regclass('row_places') is not null as is`)
  return rows[0]?.is === true
}
