import type { JWTPayload } from 'jose'
import { sql } from '../../../store/sql.ts'
import { type Account, accountColumns } from '../accounts.ts'
import type { Identity } from '../identity.ts'
import { findLiveSession } from '../sessions.ts'

/** The account behind an access token whose sign-in still stands, asked without any cache. */
export async function findTokenAccount(identity: Identity, claims: JWTPayload): Promise<Account | undefined> {
  const { sub = '', sid } = claims
  const account =
    typeof sid === 'string' ? await findLiveSession(identity, sid) : await findById(identity.database, sub)
  const isSame = account?.accountId === sub && account.securityStamp === claims['svc:security_stamp']
  if (!account || !isSame) return undefined
  const isStale = claims['svc:admin'] !== undefined && !identity.administrators.isAdministrator(account.login)
  return isStale ? undefined : account
}

async function findById(database: Identity['database'], id: string): Promise<Account | undefined> {
  const [account] = await database.query<Account>(
    sql`select ${accountColumns} from users as account where account.id = ${id} and account.active`,
  )
  return account
}
