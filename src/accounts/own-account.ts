import type { Caller } from '../model/caller.ts'
import { text } from '../model/field-kinds.ts'
import { changed, unauthenticated } from '../model/problem.ts'
import { nameCharactersMax } from '../model/text-limits.ts'
import { shownColumns } from '../store/columns.ts'
import type { Database } from '../store/database.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { accountTable } from './account-table.ts'
import { readFields } from './read-fields.ts'

export interface OwnAccount {
  readonly id: string
  readonly name: string
  readonly login: string
  readonly createdAt: string
  readonly updatedAt: string | null
}

export async function readOwnAccount(database: Database, caller: Caller): Promise<OwnAccount> {
  const [account] = await database.query<OwnAccount>(
    sql`select ${shownColumns(accountTable)} from users as row where id = ${caller.id} and active`,
  )
  if (!account) throw unauthenticated()
  return account
}

/** `isExpected` looks at the account as it is when it is locked. */
export async function renameOwnAccount(
  database: Database,
  caller: Caller,
  body: unknown,
  isExpected: (account: OwnAccount) => boolean = () => true,
): Promise<void> {
  const { name } = readFields(body, { name: text({ max: nameCharactersMax }) })
  await database.transaction(async (transaction) => {
    const [account] = await transaction.query<OwnAccount>(
      sql`select ${shownColumns(accountTable)} from users as row where id = ${caller.id} and active for no key update`,
    )
    if (!account) throw unauthenticated()
    if (!isExpected(account)) throw changed('Account')
    await updateRow(transaction, accountTable, caller, caller.id, { name })
  })
}
