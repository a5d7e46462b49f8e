import { visibleRows } from '../access/visible-rows.ts'
import {
  invitationHours,
  isOpen,
  type Link,
  linkColumns,
  type MadeLink,
  makeLink,
} from '../accounts/links.ts'
import { queueMail } from '../accounts/mail-queue.ts'
import { readFields } from '../accounts/read-fields.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { busy, invalid, missing, unauthenticated } from '../model/problem.ts'
import { readObject } from '../model/read-object.ts'
import { project } from '../resources/project.ts'
import { callerDetails } from '../security-log/security-log.ts'
import type { Queries } from '../store/database.ts'
import { type Sql, sql } from '../store/sql.ts'
import type { Tracker } from './tracker.ts'

export const invitationsMax = 20

/** By a member into a project of theirs; an administrator may also invite into none. With a mail, in place of a secret. */
export async function invite(
  tracker: Tracker,
  caller: Caller,
  body: unknown,
  recipient?: string,
): Promise<MadeLink> {
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
    const wish = { purpose: 'invitation', madeBy: caller.id } as const
    const { link, secret } = await makeLink(transaction, {
      ...wish,
      sessionId: caller.origin?.sessionId,
      hours: invitationHours,
      projectId,
    })
    if (recipient === undefined) return { link, secret }
    if (!(await queueMail(transaction, { ...wish, linkId: link.id, recipient }))) throw busy(mailRetrySeconds)
    return { link, secret }
  })
  tracker.securityLog?.({
    event: 'link-made',
    outcome: 'invitation',
    ...callerDetails(caller),
    by: caller.id,
  })
  return made
}

const mailRetrySeconds = 3600

async function requireRoom(transaction: Queries, accountId: string): Promise<void> {
  const [count] = await transaction.query<{ open: number }>(sql`
    select count(*) as open from account_links as link
    where link.made_by = ${accountId} and link.purpose = 'invitation' and ${isOpen}`)
  if ((count?.open ?? 0) >= invitationsMax)
    throw invalid({ generalErrors: [`At most ${invitationsMax} invitations may be open. End one first.`] })
  await transaction.query(sql`
    delete from account_links as old where not exists (select from mails where link_id = old.id) and id in (
      select link.id from account_links as link
      where link.made_by = ${accountId} and link.purpose = 'invitation' and not (${isOpen})
      order by link.created_at desc offset ${invitationsMax}::int)`)
}

/** Of a project; its members have made them. */
export const invitationsListedMax = 100

/** The open ones that the caller has made, or those into a project that the caller sees. */
export const listInvitations = (
  { database }: Tracker,
  caller: Caller,
  { projectId }: Readonly<Record<string, unknown>> = {},
): Promise<Link[]> =>
  database.query<Link>(sql`
    select ${linkColumns} from account_links as link
    where link.purpose = 'invitation' and ${isOpen} and ${
      projectId === undefined || projectId === ''
        ? sql`link.made_by = ${caller.id}`
        : sql`link.project_id = ${readFields({ projectId }, { projectId: uuid }).projectId} and ${isIntoOwn(caller)}`
    }
    order by link.created_at desc, link.id limit ${invitationsListedMax}::int`)

/** Those who may invite into the project may also end the invitations of others. */
const isIntoOwn = (caller: Caller): Sql => sql`exists (
  select from projects as row where row.id = link.project_id and row.active and ${visibleRows(project, caller)})`

export async function endInvitation({ database }: Tracker, caller: Caller, body: unknown): Promise<void> {
  const { id } = readFields(body, { id: uuid })
  const [ended] = await database.single.query(sql`
    update account_links as link set ended_at = now()
    where link.id = ${id} and link.purpose = 'invitation' and ${isOpen}
      and (${caller.isAdministrator} or link.made_by = ${caller.id} or ${isIntoOwn(caller)})
    returning true`)
  if (!ended) throw missing('Invitation')
}
