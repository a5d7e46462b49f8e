import type pg from 'pg'
import {
  type AdministratorOptions,
  administratorColumns,
  administratorsOf,
  type PossibleAdministrator,
} from '../../accounts/administrators.ts'
import { isDeactivated } from '../../accounts/deactivation.ts'
import { normalizeLogin } from '../../accounts/login.ts'
import { render, sql } from '../../db/sql.ts'
import { type Finding, fine, look } from './finding.ts'

/** An administrator is needed to create accounts. */
export async function checkAdministrators(
  client: pg.Client,
  settings: AdministratorOptions,
): Promise<Finding> {
  const { rows: tables } = await client.query(`select to_regclass('seeded_account') as name`)
  if (tables[0]?.name === null)
    return look('administrators', 'are not known before the next migration', 'The next start applies it.')
  const listed = settings.adminLogins.map(normalizeLogin)
  const { text, values } = render(sql`
    select ${administratorColumns} from users as account
    where account.active and not ${isDeactivated} and (
      lower(trim(account.login)) = any(${listed}::text[]) or account.id in (select user_id from administrators)
      or account.id in (select user_id from seeded_account))
    order by lower(account.login)`)
  const { rows } = await client.query<PossibleAdministrator>(text, values)
  const logins = rows.filter(administratorsOf(settings).isAdministrator).map(({ login }) => login)
  const [first, ...others] = logins
  if (first === undefined)
    return look(
      'administrators',
      settings.adminLogins.length === 0
        ? 'there is none: the account that the store was seeded with is gone or not known'
        : 'there is none: no account has a login of SVC_ADMIN_LOGINS',
      'Name the login of an account in SVC_ADMIN_LOGINS, for every host.',
    )
  return fine('administrators', others.length === 0 ? first : `${first} and ${others.length} more`)
}
