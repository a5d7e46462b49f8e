import { isDeactivated } from '../../../accounts/deactivation.ts'
import { sql } from '../../../store/sql.ts'
import { type Account, accountColumns } from '../accounts.ts'
import type { Identity } from '../identity.ts'

/** What the people who run the service should know before others find out. */
export async function warnOfProviders(identity: Identity): Promise<void> {
  const { settings, log } = identity
  for (const { id, issuer } of settings.providers)
    if (issuer.startsWith('http:'))
      log.warn(
        { provider: id, issuer },
        'A provider is asked without TLS: anybody between it and this host can sign in as anybody.',
      )
  if (!settings.passwords && !(await mayAdministratorsSignIn(identity)))
    log.warn('No administrator can sign in yet: passwords are off, and none is connected with a provider.')
}

/** With more connections than this nobody needs the warning, so no more are read. */
const connectedMax = 10_000

async function mayAdministratorsSignIn({ settings, database, administrators }: Identity): Promise<boolean> {
  if (settings.providers.some(({ linkByVerifiedEmail }) => linkByVerifiedEmail)) return true
  const connected = await database.query<Account>(sql`
    select distinct ${accountColumns} from users as account
    join outside_identities as known on known.user_id = account.id
    where account.active and not ${isDeactivated} limit ${connectedMax}::int`)
  return connected.some((account) => administrators.isAdministrator(account))
}
