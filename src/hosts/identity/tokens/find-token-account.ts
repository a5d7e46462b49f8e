import type { JWTPayload } from 'jose'
import { readAccessTokenClaims, stillStands } from '../../../authentication/access-token.ts'
import { sql } from '../../../store/sql.ts'
import { type Account, accountColumns } from '../accounts.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'

/** The account behind an access token whose sign-in still stands, asked without any cache. */
export async function findTokenAccount(
  { database, administrators, now }: Identity,
  payload: JWTPayload,
): Promise<Account | undefined> {
  const claims = readAccessTokenClaims(payload)
  if (!claims) return undefined
  const [account] = await database.query<Account>(
    sql`select ${accountColumns} from users as account where ${stillStands(claims, moment(now()))}`,
  )
  const isStale = claims.isAdministrator && account && !administrators.isAdministrator(account)
  return isStale ? undefined : account
}
