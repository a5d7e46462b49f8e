import type { Caller, RequestOrigin } from '../../../model/caller.ts'
import { duplicate } from '../../../model/problem.ts'
import { user } from '../../../resources/user.ts'
import { userProject } from '../../../resources/user-project.ts'
import type { Queries } from '../../../store/database.ts'
import { violatedUniqueConstraint } from '../../../store/failures.ts'
import { newId } from '../../../store/new-id.ts'
import { insertRow } from '../../../store/rows.ts'
import { sql } from '../../../store/sql.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import type { ProviderSettings } from './read-providers.ts'

export interface NewAccount {
  readonly login: string
  readonly name: string
  readonly label: string
  readonly origin: RequestOrigin
}

/** No hash, so no password fits; an administrator may make a link for one. */
const noPassword = 'none: signs in by an outside provider'

/** An account, its identity at the provider and its first membership: all of them or none. */
export async function makeAccount(
  { database, securityLog, now, log }: Pick<Identity, 'database' | 'securityLog' | 'now' | 'log'>,
  { id: provider, defaultProject }: Pick<ProviderSettings, 'id' | 'defaultProject'>,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  { login, name, label, origin }: NewAccount,
): Promise<void> {
  const id = newId()
  const writer: Caller = {
    id,
    isAdministrator: false,
    origin: { ...origin, clientId: `provider:${provider}` },
  }
  await database
    .transaction(async (transaction) => {
      const project = await findProject(transaction, defaultProject)
      if (defaultProject !== undefined && project === undefined)
        log.warn({ provider, project: defaultProject }, 'The default project of a provider is not there.')
      const also = project
        ? [{ table: userProject, values: { id: newId(), userId: id, projectId: project } }]
        : []
      await insertRow(transaction, user, writer, { id, login, name, passwordHash: noPassword }, { also })
      // The membership holds the project from here on: one that went in between takes everything back.
      if (project !== undefined && (await findProject(transaction, project)) === undefined)
        throw duplicate('project', 'The project was removed at the same time.')
      await transaction.query(sql`
      insert into outside_identities (id, issuer, subject, user_id, provider, label, last_used_at)
      values (${newId()}, ${issuer}, ${subject}, ${id}, ${provider}, ${label}, ${moment(now())})`)
    })
    .catch((error: unknown) => {
      // Somebody with the same identity was quicker.
      throw violatedUniqueConstraint(error) === undefined ? error : duplicate('identity', 'It is connected.')
    })
  const { address, requestId } = origin
  securityLog({
    event: 'account-changed',
    outcome: 'create',
    account: id,
    by: id,
    provider,
    address,
    requestId,
  })
  securityLog({
    event: 'identity-connected',
    outcome: 'new account',
    account: id,
    provider,
    address,
    requestId,
  })
}

async function findProject(queries: Queries, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined
  const [found] = await queries.query<{ id: string }>(
    sql`select id from projects where id = ${id} and active`,
  )
  return found?.id
}
