import { queueMail } from '../../../accounts/mail-queue.ts'
import { lockSession } from '../../../accounts/sessions.ts'
import {
  hasHiddenCharacters,
  identitiesMax,
  isAccountDeactivatedSql,
  isSameLogin,
  recordVerifiedAddress,
} from '../../../accounts/sign-in.ts'
import { timestamp } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { violatedUniqueConstraint } from '../../../db/failures.ts'
import { insertRow, newId } from '../../../db/rows.ts'
import { sql } from '../../../db/sql.ts'
import type { Caller, RequestOrigin } from '../../../model/caller.ts'
import { duplicate, Problem } from '../../../model/problem.ts'
import { loginCharactersMax } from '../../../model/text.ts'
import { userProject } from '../../../resources/project.ts'
import { user } from '../../../resources/user.ts'
import type { Identity } from '../core/endpoint.ts'
import type { ExternalProvider } from '../core/providers.ts'
import { type Account, accountColumns } from '../core/sessions.ts'
import type { ProviderSettings } from '../values/settings.ts'
import type { FederatedUser } from './claims.ts'
import type { AccountFailure } from './failures.ts'

export interface FoundAccount {
  readonly account: Account
  readonly identityId: string
}

/** More than concurrent sign-ins of one user can need. */
const attemptsMax = 5

/**
 * Finds the local account of a federated user. At the first sign-in, connects the user to an account or
 * creates an account, if the settings of the provider allow it. Because of unique constraints, only one of
 * several concurrent requests succeeds. The others retry.
 */
export async function findFederatedAccount(
  identity: Identity,
  provider: ExternalProvider,
  federatedUser: FederatedUser,
  origin: RequestOrigin,
): Promise<FoundAccount | AccountFailure> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const connected = await findConnected(identity, federatedUser)
    if (connected !== undefined) return connected
    const failure = await linkOrCreateAccount(identity, provider, federatedUser, origin)
    // The conflicting row may come from a concurrent sign-in of the same identity.
    if (failure !== undefined) return (await findConnected(identity, federatedUser)) ?? failure
  }
  return 'no account'
}

async function findConnected(
  { database, now }: Identity,
  { issuer, subject }: FederatedUser,
): Promise<FoundAccount | AccountFailure | undefined> {
  const [connected] = await database.query<
    Account & { identityId: string; label: string; isUsable: boolean }
  >(sql`
    select ${accountColumns}, external.id as "identityId", external.label, account.active and not ${isAccountDeactivatedSql} as "isUsable"
    from outside_identities as external join users as account on account.id = external.user_id
    where external.issuer = ${issuer} and external.subject = ${subject}`)
  if (connected === undefined) return undefined
  if (!connected.isUsable) return 'account closed'
  await database.singleWrites.query(
    sql`update outside_identities set last_used_at = ${timestamp(now())} where id = ${connected.identityId}`,
  )
  // The label is an address only if the provider has verified it. The login may have been changed to that
  // address since.
  if (!connected.hasVerifiedLogin)
    await recordVerifiedAddress(database.singleWrites, connected.accountId, connected.label)
  return { account: connected, identityId: connected.identityId }
}

/**
 * Connects or creates the account at the first sign-in. Returns undefined if the caller should look for it
 * again.
 */
async function linkOrCreateAccount(
  identity: Identity,
  provider: ExternalProvider,
  federatedUser: FederatedUser,
  origin: RequestOrigin,
): Promise<AccountFailure | undefined> {
  if (!provider.linkByVerifiedEmail && !provider.createAccounts) return 'no account'
  const profile = await federatedUser.fetchProfile()
  const { verifiedEmail: login } = profile
  if (login === undefined || login.length > loginCharactersMax || hasHiddenCharacters(login))
    return 'no account'
  const [existing] = await findUserByLogin(identity, login)
  if (existing === undefined)
    return createIfAllowed(identity, provider, federatedUser, { ...profile, login, origin })
  if (!existing.isUsable) return 'account closed'
  if (!provider.linkByVerifiedEmail || !isSameLogin(existing.login, login)) return 'login taken'
  const result = await connectIdentity(identity, provider, federatedUser, {
    label: profile.label,
    userId: existing.accountId,
    confirmedBy: 'verified address',
    origin,
  })
  return result === 'too many identities' ? result : undefined
}

async function createIfAllowed(
  identity: Identity,
  provider: ExternalProvider,
  federatedUser: FederatedUser,
  { name, login, label, origin }: Omit<NewAccount, 'name'> & { readonly name: string | undefined },
): Promise<AccountFailure | undefined> {
  if (!provider.createAccounts || !mayCreate(identity, provider, login)) return 'no account'
  try {
    await createAccount(identity, provider, federatedUser, { login, name: name ?? login, label, origin })
  } catch (error) {
    // A concurrent request has just taken the login, so the caller retries.
    if (!(error instanceof Problem && error.kind === 'duplicate')) throw error
  }
  return undefined
}

/** Finds the user with this login. An active user takes precedence over removed users. */
const findUserByLogin = ({ database }: Identity, login: string) =>
  database.query<{ accountId: string; login: string; isUsable: boolean }>(sql`
    select account.id as "accountId", account.login, account.active and not ${isAccountDeactivatedSql} as "isUsable" from users as account
    where lower(trim(account.login)) = lower(trim(${login})) order by account.active desc limit 1`)

/**
 * A new account is an administrator if the settings name its login. Only a provider that is trusted with
 * logins may create such an account.
 */
const mayCreate = ({ administrators }: Identity, { linkByVerifiedEmail }: ExternalProvider, login: string) =>
  linkByVerifiedEmail || !administrators.isReserved(login)

interface NewAccount {
  readonly login: string
  readonly name: string
  readonly label: string
  readonly origin: RequestOrigin
}

/** This is not a hash, so no password matches. An administrator may create a password-reset link. */
const noPassword = 'none: signs in by an outside provider'

/** Creates an account, its external identity and its first membership in one transaction. */
async function createAccount(
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
      const relatedRows = project
        ? [{ table: userProject, values: { id: newId(), userId: id, projectId: project } }]
        : []
      await insertRow(
        transaction,
        user,
        writer,
        { id, login, name, passwordHash: noPassword },
        { relatedRows },
      )
      // The membership has locked the project. If it was removed just before, everything is rolled back.
      if (project !== undefined && (await findProject(transaction, project)) === undefined)
        throw duplicate('project', 'The project was removed at the same time.')
      await transaction.query(sql`
        insert into outside_identities (id, issuer, subject, user_id, provider, label, last_used_at)
        values (${newId()}, ${issuer}, ${subject}, ${id}, ${provider}, ${label}, ${timestamp(now())})`)
      await recordVerifiedAddress(transaction, id, login)
    })
    .catch((error: unknown) => {
      // A concurrent sign-in has connected the same identity.
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
  const [project] = await queries.query<{ id: string }>(
    sql`select id from projects where id = ${id} and active`,
  )
  return project?.id
}

interface NewConnection {
  readonly label: string
  readonly userId: string
  /** The log records as the outcome how it was confirmed that both accounts belong to the same user. */
  readonly confirmedBy: 'verified address' | 'the person'
  readonly origin: RequestOrigin
}

/**
 * Connects an account to an external identity. Because of the unique constraint, only one of two concurrent
 * requests succeeds. The account is locked while its identities are counted.
 */
export async function connectIdentity(
  { database, securityLog, settings, now }: Pick<Identity, 'database' | 'securityLog' | 'settings' | 'now'>,
  provider: Pick<ProviderSettings, 'id'>,
  subject: ExternalSubject,
  { label, userId, confirmedBy, origin }: NewConnection,
): Promise<'connected' | 'connected elsewhere' | 'too many identities' | 'other session'> {
  const status = await database.transaction(async (transaction) => {
    await transaction.query(sql`select pg_advisory_xact_lock(hashtextextended(${`outside ${userId}`}, 0))`)
    // The session may have ended while the transaction waited for the lock.
    if (origin.sessionId !== undefined && !(await lockSession(transaction, origin.sessionId)))
      return 'other session'
    const result = await insertIdentity(transaction, subject, {
      label,
      userId,
      provider: provider.id,
      at: now(),
    })
    // If the provider has not verified the address, the label has a mark and so equals no login.
    if (result === 'new') await recordVerifiedAddress(transaction, userId, label)
    if (result === 'new' && settings.isMailConfigured)
      await queueMail(transaction, { purpose: 'factors', creatorId: userId })
    return result
  })
  if (status !== 'new') return status
  securityLog({
    event: 'identity-connected',
    outcome: confirmedBy,
    account: userId,
    provider: provider.id,
    address: origin.address,
    requestId: origin.requestId,
    session: origin.sessionId,
  })
  return 'connected'
}

interface ExternalSubject {
  readonly issuer: string
  readonly subject: string
}

interface InsertedIdentity extends Pick<NewConnection, 'label' | 'userId'> {
  readonly provider: string
  readonly at: number
}

async function insertIdentity(
  transaction: Queries,
  { issuer, subject }: ExternalSubject,
  { label, userId, provider, at }: InsertedIdentity,
): Promise<'new' | 'connected' | 'connected elsewhere' | 'too many identities'> {
  const [count] = await transaction.query<{ identities: number }>(
    sql`select count(*)::int as identities from outside_identities where user_id = ${userId}`,
  )
  const isFull = (count?.identities ?? 0) >= identitiesMax
  if (!isFull) {
    const [inserted] = await transaction.query(sql`
      insert into outside_identities (id, issuer, subject, user_id, provider, label, last_used_at)
      values (${newId()}, ${issuer}, ${subject}, ${userId}, ${provider}, ${label}, ${timestamp(at)})
      on conflict (issuer, subject) do nothing returning id`)
    if (inserted) return 'new'
  }
  const [owner] = await transaction.query<{ userId: string }>(
    sql`select user_id as "userId" from outside_identities where issuer = ${issuer} and subject = ${subject}`,
  )
  if (owner?.userId === userId) return 'connected'
  return isFull ? 'too many identities' : 'connected elsewhere'
}
