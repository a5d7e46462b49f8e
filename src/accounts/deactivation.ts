import { raw, type Sql } from '../db/sql.ts'

/** SQL: true if the row aliased as `account` must not sign in. */
export const isAccountDeactivatedSql: Sql = raw(
  'exists (select 1 from deactivated_accounts as deactivated where deactivated.user_id = account.id)',
)
