import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/db/database.ts'
import { newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'

export interface Account {
  readonly id: string
  readonly login: string
  readonly name: string
  readonly securityStamp: string
}

export interface AccountOptions {
  readonly login?: string
  readonly name?: string
  /** By default, no password matches. */
  readonly passwordHash?: string
  readonly active?: boolean
}

/** Inserts an account without the cost of hashing a password. */
export async function insertAccount(
  { transaction }: Pick<Database, 'transaction'>,
  { login, name, passwordHash = 'no password', active = true }: AccountOptions = {},
): Promise<Account> {
  const id = newId()
  const account = {
    id,
    login: login ?? `${id}@example.com`,
    name: name ?? 'Ada',
    securityStamp: randomUUID(),
  }
  // A conflict can happen in a store of several nodes. A transaction is then retried.
  await transaction((queries) =>
    queries.query(sql`
      insert into users (id, name, login, password_hash, security_stamp, active)
      values (${id}, ${account.name}, ${account.login}, ${passwordHash}, ${account.securityStamp}, ${active})`),
  )
  return account
}
