import { visibleRows } from '../access/visible-rows.ts'
import { type Administrators, hasRole, type PossibleAdministrator } from '../accounts/administrators.ts'
import { isDeactivated } from '../accounts/deactivation.ts'
import {
  findOpenLink,
  isOpen,
  type Link,
  linkColumns,
  linkOver,
  type MadeLink,
  makeLink,
  useLink,
} from '../accounts/links.ts'
import { secretKind } from '../accounts/password-links.ts'
import { readFields } from '../accounts/read-fields.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { invalid, missing, unauthenticated } from '../model/problem.ts'
import { readObject } from '../model/read-object.ts'
import { project } from '../resources/project.ts'
import { user } from '../resources/user.ts'
import { userProject } from '../resources/user-project.ts'
import { callerDetails } from '../security-log/security-log.ts'
import type { Queries } from '../store/database.ts'
import { newId } from '../store/new-id.ts'
import { insertRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { readInput } from './read-input.ts'
import type { Tracker } from './tracker.ts'

export const invitationHours = 72
/** Open ones of an account; what is over is kept as many times. */
export const invitationsMax = 20

/** By a member into a project of theirs; an administrator may also invite into none. */
export async function invite(tracker: Tracker, caller: Caller, body: unknown): Promise<MadeLink> {
  const given = readObject(body)
  const isIntoProject = given.projectId !== undefined && given.projectId !== null
  if (!isIntoProject && !caller.isAdministrator)
    throw invalid({ projectId: ['ProjectId is required: you invite into a project of yours.'] })
  const projectId = isIntoProject ? readFields(given, { projectId: uuid }).projectId : undefined
  const made = await tracker.database.transaction(async (transaction) => {
    // Locked, so that those made at once are counted one after the other.
    const [account] = await transaction.query(
      sql`select 1 from users where id = ${caller.id} and active for no key update`,
    )
    if (!account) throw unauthenticated()
    if (projectId !== undefined) {
      const [seen] = await transaction.query(
        sql`select 1 from projects as row where row.id = ${projectId} and row.active and ${visibleRows(project, caller)}`,
      )
      if (!seen) throw missing(project.title)
    }
    await requireRoom(transaction, caller.id)
    return makeLink(transaction, {
      purpose: 'invitation',
      madeBy: caller.id,
      hours: invitationHours,
      projectId,
    })
  })
  tracker.securityLog?.({
    event: 'link-made',
    outcome: 'invitation',
    ...callerDetails(caller),
    by: caller.id,
  })
  return made
}

async function requireRoom(transaction: Queries, accountId: string): Promise<void> {
  const [count] = await transaction.query<{ open: number }>(sql`
    select count(*) as open from account_links as link
    where link.made_by = ${accountId} and link.purpose = 'invitation' and ${isOpen}`)
  if ((count?.open ?? 0) >= invitationsMax)
    throw invalid({ generalErrors: [`At most ${invitationsMax} invitations may be open. End one first.`] })
  await transaction.query(sql`
    delete from account_links where id in (
      select link.id from account_links as link
      where link.made_by = ${accountId} and link.purpose = 'invitation' and not (${isOpen})
      order by link.created_at desc offset ${invitationsMax}::int)`)
}

/** The open ones that the caller has made. */
export const listInvitations = ({ database }: Tracker, caller: Caller): Promise<Link[]> =>
  database.query<Link>(sql`
    select ${linkColumns} from account_links as link
    where link.made_by = ${caller.id} and link.purpose = 'invitation' and ${isOpen}
    order by link.created_at desc, link.id limit ${invitationsMax}::int`)

export async function endInvitation({ database }: Tracker, caller: Caller, body: unknown): Promise<void> {
  const { id } = readFields(body, { id: uuid })
  const [ended] = await database.single.query(sql`
    update account_links as link set ended_at = now()
    where link.id = ${id} and link.purpose = 'invitation' and ${isOpen}
      and (${caller.isAdministrator} or link.made_by = ${caller.id})
    returning true`)
  if (!ended) throw missing('Invitation')
}

/** By whoever has the link: a new account, a member of the project from its first moment. */
export async function acceptInvitation(
  tracker: Tracker,
  administrators: Administrators,
  origin: RequestOrigin | undefined,
  body: unknown,
): Promise<void> {
  const { secret, name, login, password } = readObject(body)
  // The secret first: people without it learn nothing of logins and passwords, and cause no hash.
  const link = await findOpenLink(
    tracker.database,
    'invitation',
    readFields({ secret }, { secret: secretKind }).secret,
  )
  const { values } = readInput(user, { name, login, password }, 'create', tracker)
  const prepared = (await user.rules.prepare?.(values, tracker.passwords)) ?? values
  const id = newId()
  const writer: Caller = {
    id,
    isAdministrator: false,
    ...(origin && { origin: { ...origin, clientId: `invitation:${link.id}` } }),
  }
  await tracker.database.transaction(async (transaction) => {
    await useLink(transaction, link)
    await requireInviter(transaction, administrators, link)
    const also = link.projectId
      ? [{ table: userProject, values: { id: newId(), userId: id, projectId: link.projectId } }]
      : []
    await insertRow(transaction, user, writer, { id, ...prepared }, { also })
  })
  tracker.securityLog?.({
    event: 'link-used',
    outcome: 'invitation',
    ...callerDetails(writer),
    by: link.madeBy,
  })
}

/** Whoever has left may invite nobody, not even with a link of before. */
async function requireInviter(
  transaction: Queries,
  administrators: Administrators,
  { madeBy, projectId }: Link,
): Promise<void> {
  const [inviter] = await transaction.query<PossibleAdministrator & { isMember: boolean }>(sql`
    select account.login, ${hasRole}, exists (
      select 1 from user_projects where user_id = account.id and project_id = ${projectId} and active) as "isMember"
    from users as account where account.id = ${madeBy} and account.active and not ${isDeactivated}`)
  if (!inviter || !(inviter.isMember || administrators.isAdministrator(inviter))) throw linkOver()
  if (projectId === null) return
  // Kept from being removed until the membership is there.
  const [found] = await transaction.query(
    sql`select 1 from projects where id = ${projectId} and active for key share`,
  )
  if (!found) throw linkOver()
}
