import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../../accounts/administrators.ts'
import {
  type CreatedLink,
  createLink,
  findOpenLink,
  type InvitationTarget,
  invitationHours,
  invitationTargetQuery,
  isLinkOpenSql,
  type Link,
  linkColumns,
  linkExpired,
  linkSecretField,
  redeemLink,
} from '../../accounts/links.ts'
import { queueMail } from '../../accounts/mail-queue.ts'
import {
  hasHiddenCharacters,
  isAccountDeactivatedSql,
  recordVerifiedAddress,
} from '../../accounts/sign-in.ts'
import type { Queries } from '../../db/database.ts'
import { loginTaken } from '../../db/failures.ts'
import { insertRow, newId } from '../../db/rows.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Caller, RequestOrigin } from '../../model/caller.ts'
import { isNullOrBlank, text, uuid } from '../../model/field-kinds.ts'
import {
  busy,
  duplicate,
  invalid,
  notFound,
  parseFields,
  parseObject,
  unauthenticated,
} from '../../model/problem.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { callerDetails } from '../../observability/security-log.ts'
import type { Context } from '../../records/context.ts'
import { parseBody } from '../../records/record-json.ts'
import { visibleRows } from '../../records/visible-rows.ts'
import { project, userProject } from '../../resources/project.ts'
import { user } from '../../resources/user.ts'

const invitationsMax = 20

/** Names the recipient in the list of open invitations, because the recipient has no account yet. */
export const recipientNameText = text({ max: nameCharactersMax })

/**
 * Creates an invitation. Members invite into their own projects, administrators into any or none. If there is
 * a `recipient`, the secret is sent by mail and must not be returned to the client.
 */
export async function invite(
  context: Context,
  caller: Caller,
  body: unknown,
  recipient?: string,
): Promise<CreatedLink> {
  const fields = parseObject(body)
  const isIntoProject = fields.projectId !== undefined && fields.projectId !== null
  if (!isIntoProject && !caller.isAdministrator)
    throw invalid({ projectId: ['ProjectId is required: you may invite into your own projects only.'] })
  const projectId = isIntoProject ? parseFields(fields, { projectId: uuid }).projectId : undefined
  const recipientName = isNullOrBlank(fields.recipientName)
    ? recipient
    : parseFields(fields, { recipientName: recipientNameText }).recipientName
  const created = await context.database.transaction(async (transaction) => {
    // The account is locked, so that concurrent invitations are counted one after the other.
    const [account] = await transaction.query(
      sql`select 1 from users where id = ${caller.id} and active for no key update`,
    )
    if (!account) throw unauthenticated()
    if (projectId !== undefined) {
      const [visible] = await transaction.query(
        sql`select 1 from projects as row where row.id = ${projectId} and row.active and ${visibleRows(project, caller)}`,
      )
      if (!visible) throw notFound(project.title)
    }
    await limitInvitations(transaction, caller.id)
    const requested = { purpose: 'invitation', creatorId: caller.id } as const
    const { link, secret } = await createLink(transaction, {
      ...requested,
      sessionId: caller.origin?.sessionId,
      hours: invitationHours,
      projectId,
      recipientName,
    })
    if (recipient === undefined) return { link, secret }
    const retryAfterSeconds = await queueMail(transaction, { ...requested, linkId: link.id, recipient })
    if (retryAfterSeconds !== undefined) throw busy(retryAfterSeconds)
    return { link, secret }
  })
  context.securityLog?.({
    event: 'link-made',
    outcome: 'invitation',
    ...callerDetails(caller),
    by: caller.id,
  })
  return created
}

/**
 * Throws if the account already has the maximum number of open invitations. Deletes old closed invitations.
 */
async function limitInvitations(transaction: Queries, accountId: string): Promise<void> {
  const [count] = await transaction.query<{ open: number }>(sql`
    select count(*) as open from account_links as link
    where link.made_by = ${accountId} and link.purpose = 'invitation' and ${isLinkOpenSql}`)
  if ((count?.open ?? 0) >= invitationsMax)
    throw invalid({ generalErrors: [`At most ${invitationsMax} invitations may be open. End one first.`] })
  await transaction.query(sql`
    delete from account_links as old where not exists (select from mails where link_id = old.id) and id in (
      select link.id from account_links as link
      where link.made_by = ${accountId} and link.purpose = 'invitation' and not (${isLinkOpenSql})
      order by link.created_at desc offset ${invitationsMax}::int)`)
}

/** The most invitations that are listed for a project. */
export const invitationsListedMax = 100

/**
 * Returns the open invitations that the caller has created or, with `projectId`, all open invitations into that
 * project, if the caller can see it.
 */
export const listInvitations = (
  { database }: Context,
  caller: Caller,
  { projectId }: Readonly<Record<string, unknown>> = {},
): Promise<Link[]> =>
  database.query<Link>(sql`
    select ${linkColumns} from account_links as link
    where link.purpose = 'invitation' and ${isLinkOpenSql} and ${
      projectId === undefined || projectId === ''
        ? sql`link.made_by = ${caller.id}`
        : sql`link.project_id = ${parseFields({ projectId }, { projectId: uuid }).projectId} and ${isIntoVisibleProject(caller)}`
    }
    order by link.created_at desc, link.id limit ${invitationsListedMax}::int`)

/** Members who may invite into the project may also end the invitations of others. */
const isIntoVisibleProject = (caller: Caller): Sql => sql`exists (
  select from projects as row where row.id = link.project_id and row.active and ${visibleRows(project, caller)})`

export async function endInvitation({ database }: Context, caller: Caller, body: unknown): Promise<void> {
  const { id } = parseFields(body, { id: uuid })
  const [ended] = await database.singleWrites.query(sql`
    update account_links as link set ended_at = now()
    where link.id = ${id} and link.purpose = 'invitation' and ${isLinkOpenSql}
      and (${caller.isAdministrator} or link.made_by = ${caller.id} or ${isIntoVisibleProject(caller)})
    returning true`)
  if (!ended) throw notFound('Invitation')
}

export interface SerializedInvitation {
  readonly inviter: string
  readonly recipientName: string | null
  /**
   * Null if an administrator has invited the user without a project. `project` and `organization` are then
   * null as well.
   */
  readonly projectId: string | null
  readonly project: string | null
  readonly organization: string | null
  readonly expiresAt: string
}

/** Returns the inviter and the project to anyone with the link. The link can still be used afterwards. */
export async function readInvitation(
  { database, administrators }: Context,
  body: unknown,
): Promise<SerializedInvitation> {
  const { secret } = parseFields(body, { secret: linkSecretField })
  const link = await findOpenLink(database, 'invitation', secret)
  const { projectId, recipientName, expiresAt } = link
  const { name: inviter } = await requireInviter(database, administrators, link)
  const invitation = { inviter, recipientName, projectId, expiresAt }
  if (projectId === null) return { ...invitation, project: null, organization: null }
  const [target] = await database.query<InvitationTarget>(invitationTargetQuery(projectId))
  if (!target) throw linkExpired()
  return { ...invitation, ...target }
}

/** Creates an account for anyone with the link. The account is a member of the project from the start. */
export async function acceptInvitation(
  context: Context,
  origin: RequestOrigin | undefined,
  body: unknown,
): Promise<void> {
  const { secret, name, login, password } = parseObject(body)
  // The secret is checked first: without it, a caller learns nothing about logins and passwords, and causes
  // no password to be hashed.
  const link = await findOpenLink(
    context.database,
    'invitation',
    parseFields({ secret }, { secret: linkSecretField }).secret,
  )
  const { values } = parseBody(user, { name, login, password }, 'create', context)
  if (hasHiddenCharacters(String(login)))
    throw invalid({ login: ['Login must not contain invisible characters.'] })
  const prepared = (await user.hooks.prepare?.(values, context.passwords)) ?? values
  const id = newId()
  // The history records the invitation as the client.
  const writer: Caller = {
    id,
    isAdministrator: false,
    ...(origin && { origin: { ...origin, clientId: `invitation:${link.id}` } }),
  }
  await context.database.transaction(async (transaction) => {
    const mailedTo = await redeemLink(transaction, link)
    await requireInviter(transaction, context.administrators, link)
    await lockProject(transaction, link)
    // No invitation grants the role of an administrator.
    if (context.administrators.isReserved(String(login))) throw loginTaken()
    const relatedRows = link.projectId
      ? [{ table: userProject, values: { id: newId(), userId: id, projectId: link.projectId } }]
      : []
    await insertRow(transaction, user, writer, { id, ...prepared }, { relatedRows })
    if (mailedTo !== undefined) await recordVerifiedAddress(transaction, id, mailedTo)
  })
  context.securityLog?.({
    event: 'link-used',
    outcome: 'invitation',
    ...callerDetails(writer),
    by: link.madeBy,
  })
}

/** Makes the caller a member of the project. The link cannot be used again. */
export async function joinByInvitation(
  context: Context,
  caller: Caller,
  body: unknown,
): Promise<{ readonly projectId: string }> {
  const { secret } = parseFields(body, { secret: linkSecretField })
  const link = await findOpenLink(context.database, 'invitation', secret)
  const { projectId } = link
  if (projectId === null) throw invalid({ generalErrors: ['This invitation is for a new account only.'] })
  const writer: Caller = {
    ...caller,
    ...(caller.origin && { origin: { ...caller.origin, clientId: `invitation:${link.id}` } }),
  }
  await context.database.transaction(async (transaction) => {
    // The account is locked, so that two links used at the same time create only one membership.
    const [account] = await transaction.query(
      sql`select from users where id = ${caller.id} and active for no key update`,
    )
    if (!account) throw unauthenticated()
    const [member] = await transaction.query(sql`
      select from user_projects where user_id = ${caller.id} and project_id = ${projectId} and active`)
    if (member) throw duplicate('generalErrors', 'You are already a member of this project.')
    await redeemLink(transaction, link)
    await requireInviter(transaction, context.administrators, link)
    await lockProject(transaction, link)
    await insertRow(transaction, userProject, writer, { id: newId(), userId: caller.id, projectId })
  })
  context.securityLog?.({
    event: 'link-used',
    outcome: 'invitation',
    ...callerDetails(caller),
    by: link.madeBy,
  })
  return { projectId }
}

/** Throws unless the creator of the link may still invite. */
async function requireInviter(
  queries: Queries,
  administrators: Administrators,
  { madeBy, projectId }: Link,
): Promise<{ readonly name: string }> {
  const [inviter] = await queries.query<PossibleAdministrator & { name: string; isMember: boolean }>(sql`
    select account.name, ${administratorColumns}, exists (
      select 1 from user_projects where user_id = account.id and project_id = ${projectId} and active) as "isMember"
    from users as account where account.id = ${madeBy} and account.active and not ${isAccountDeactivatedSql}`)
  if (!inviter || !(inviter.isMember || administrators.isAdministrator(inviter))) throw linkExpired()
  return inviter
}

/** Prevents the project from being removed before the membership exists. */
async function lockProject(transaction: Queries, { projectId }: Link): Promise<void> {
  if (projectId === null) return
  const [found] = await transaction.query(
    sql`select 1 from projects where id = ${projectId} and active for key share`,
  )
  if (!found) throw linkExpired()
}
