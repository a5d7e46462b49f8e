import { newAccount } from '../../../accounts/administrators.ts'
import { isDeactivated } from '../../../accounts/deactivation.ts'
import { hasHiddenCharacters, isSameLogin } from '../../../accounts/login.ts'
import { newId } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { violatedUniqueConstraint } from '../../../db/failures.ts'
import { insertRow } from '../../../db/rows.ts'
import { sql } from '../../../db/sql.ts'
import type { Caller, RequestOrigin } from '../../../model/caller.ts'
import { duplicate, Problem } from '../../../model/problem.ts'
import { loginCharactersMax } from '../../../model/text.ts'
import { user } from '../../../resources/user.ts'
import { userProject } from '../../../resources/user-project.ts'
import { type Account, accountColumns } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import type { ExternalProvider } from '../core/providers.ts'
import type { ProviderSettings } from '../values/settings.ts'
import { timestamp } from '../values/timestamps.ts'
import type { FederatedPerson } from './claims.ts'
import { connectIdentity } from './connect-identity.ts'
import type { ArrivalFailure } from './failures.ts'

export interface FoundAccount {
  readonly account: Account
  readonly identityId: string
}

/** More than any race of concurrent sign-ins needs. */
const attemptsMax = 5

/**
 * Finds the local account of a federated user. At the first sign-in the user is linked to an account or gets
 * a new one, if the provider's settings allow it. The unique constraints on issuer and subject and on logins
 * let one of several concurrent requests through; the others retry.
 */
export async function findFederatedAccount(
  identity: Identity,
  provider: ExternalProvider,
  person: FederatedPerson,
  origin: RequestOrigin,
): Promise<FoundAccount | ArrivalFailure> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const known = await findConnected(identity, person)
    if (known !== undefined) return known
    const failure = await arrive(identity, provider, person, origin)
    // The conflicting row may come from a concurrent sign-in of the same identity.
    if (failure !== undefined) return (await findConnected(identity, person)) ?? failure
  }
  return 'no account'
}

async function findConnected(
  { database, now }: Identity,
  { issuer, subject }: FederatedPerson,
): Promise<FoundAccount | ArrivalFailure | undefined> {
  const [found] = await database.query<Account & { identityId: string; isOpen: boolean }>(sql`
    select ${accountColumns}, known.id as "identityId", account.active and not ${isDeactivated} as "isOpen"
    from outside_identities as known join users as account on account.id = known.user_id
    where known.issuer = ${issuer} and known.subject = ${subject}`)
  if (found === undefined) return undefined
  if (!found.isOpen) return 'account closed'
  await database.single.query(
    sql`update outside_identities set last_used_at = ${timestamp(now())} where id = ${found.identityId}`,
  )
  return { account: found, identityId: found.identityId }
}

/** Returns undefined if a retry may succeed. */
async function arrive(
  identity: Identity,
  provider: ExternalProvider,
  person: FederatedPerson,
  origin: RequestOrigin,
): Promise<ArrivalFailure | undefined> {
  if (!provider.linkByVerifiedEmail && !provider.createAccounts) return 'no account'
  const profile = await person.fetchProfile()
  const { verifiedAddress: login } = profile
  if (login === undefined || login.length > loginCharactersMax || hasHiddenCharacters(login))
    return 'no account'
  const [holder] = await findHolders(identity, login)
  if (holder === undefined) return makeOne(identity, provider, person, { ...profile, login, origin })
  if (!holder.isOpen) return 'account closed'
  if (!provider.linkByVerifiedEmail || !isSameLogin(holder.login, login)) return 'login taken'
  const outcome = await connectIdentity(identity, provider, person, {
    label: profile.label,
    userId: holder.accountId,
    how: 'verified address',
    origin,
  })
  return outcome === 'too many identities' ? outcome : undefined
}

async function makeOne(
  identity: Identity,
  provider: ExternalProvider,
  person: FederatedPerson,
  { name, login, label, origin }: Omit<NewAccount, 'name'> & { readonly name: string | undefined },
): Promise<ArrivalFailure | undefined> {
  if (!provider.createAccounts || !mayBeMade(identity, provider, login)) return 'no account'
  try {
    await makeAccount(identity, provider, person, { login, name: name ?? login, label, origin })
  } catch (error) {
    // A concurrent request has just taken the login, so retry.
    if (!(error instanceof Problem && error.kind === 'duplicate')) throw error
  }
  return undefined
}

/** Finds users with this login, including removed ones: the active one first. */
const findHolders = ({ database }: Identity, login: string) =>
  database.query<{ accountId: string; login: string; isOpen: boolean }>(sql`
    select account.id as "accountId", account.login, account.active and not ${isDeactivated} as "isOpen" from users as account
    where lower(trim(account.login)) = lower(trim(${login})) order by account.active desc limit 1`)

/**
 * An account whose login the settings name is an administrator at once, so the provider must be trusted with
 * logins.
 */
const mayBeMade = ({ administrators }: Identity, { linkByVerifiedEmail }: ExternalProvider, login: string) =>
  linkByVerifiedEmail || !administrators.isAdministrator(newAccount(login))

interface NewAccount {
  readonly login: string
  readonly name: string
  readonly label: string
  readonly origin: RequestOrigin
}

/** Not a hash, so no password matches; an administrator may create a password-reset link. */
const noPassword = 'none: signs in by an outside provider'

/** Creates an account, its external identity and its first membership: all of them or none. */
async function makeAccount(
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
        log.warn({ provider, project: defaultProject }, 'The default project of a provider does not exist.')
      const also = project
        ? [{ table: userProject, values: { id: newId(), userId: id, projectId: project } }]
        : []
      await insertRow(transaction, user, writer, { id, login, name, passwordHash: noPassword }, { also })
      // The membership locks the project from here on; a removal in between rolls back everything.
      if (project !== undefined && (await findProject(transaction, project)) === undefined)
        throw duplicate('project', 'The project was removed at the same time.')
      await transaction.query(sql`
      insert into outside_identities (id, issuer, subject, user_id, provider, label, last_used_at)
      values (${newId()}, ${issuer}, ${subject}, ${id}, ${provider}, ${label}, ${timestamp(now())})`)
    })
    .catch((error: unknown) => {
      // A concurrent sign-in of the same identity was faster.
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
