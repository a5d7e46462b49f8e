import {
  type Administrators,
  administratorColumns,
  newAccount,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { isDeactivated } from '../accounts/deactivation.ts'
import {
  findOpenLink,
  type InvitedInto,
  invitedInto,
  type Link,
  linkOver,
  useLink,
} from '../accounts/links.ts'
import { hasHiddenCharacters } from '../accounts/login.ts'
import { secretKind } from '../accounts/password-links.ts'
import { readFields } from '../accounts/read-fields.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { duplicate, invalid, unauthenticated } from '../model/problem.ts'
import { readObject } from '../model/read-object.ts'
import { user } from '../resources/user.ts'
import { userProject } from '../resources/user-project.ts'
import { callerDetails } from '../security-log/security-log.ts'
import type { Queries } from '../store/database.ts'
import { loginTaken } from '../store/duplicates.ts'
import { newId } from '../store/new-id.ts'
import { insertRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { readInput } from './read-input.ts'
import type { Tracker } from './tracker.ts'

export interface ShownInvitation {
  readonly inviter: string
  /** None of both where an administrator invites into no project. */
  readonly project: string | null
  readonly organization: string | null
  readonly expiresAt: string
}

/** Anybody with the link may ask before using it, and leaves it as it was: who invites, and into what. */
export async function readInvitation(
  { database }: Tracker,
  administrators: Administrators,
  body: unknown,
): Promise<ShownInvitation> {
  const { secret } = readFields(body, { secret: secretKind })
  const link = await findOpenLink(database, 'invitation', secret)
  const { projectId, expiresAt } = link
  const { name: inviter } = await requireInviter(database, administrators, link)
  if (projectId === null) return { inviter, project: null, organization: null, expiresAt }
  const [into] = await database.query<InvitedInto>(invitedInto(projectId))
  if (!into) throw linkOver()
  return { inviter, ...into, expiresAt }
}

/** Anybody with the link may do it: a new account, a member of the project from its first moment. */
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
  if (hasHiddenCharacters(String(login)))
    throw invalid({ login: ['Login must have no characters that cannot be seen.'] })
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
    await holdProject(transaction, link)
    // A login that the settings name is an administrator at once, which no invitation may make anybody.
    if (administrators.isAdministrator(newAccount(String(login)))) throw loginTaken()
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

/** Anybody with the link and an account may do it: the account becomes a member, and the link is used. */
export async function joinByInvitation(
  tracker: Tracker,
  administrators: Administrators,
  caller: Caller,
  body: unknown,
): Promise<{ readonly projectId: string }> {
  const { secret } = readFields(body, { secret: secretKind })
  const link = await findOpenLink(tracker.database, 'invitation', secret)
  const { projectId } = link
  if (projectId === null) throw invalid({ generalErrors: ['This invitation is for a new account only.'] })
  const writer: Caller = {
    ...caller,
    ...(caller.origin && { origin: { ...caller.origin, clientId: `invitation:${link.id}` } }),
  }
  await tracker.database.transaction(async (transaction) => {
    // Locked, so that two links at once make one membership.
    const [account] = await transaction.query(
      sql`select from users where id = ${caller.id} and active for no key update`,
    )
    if (!account) throw unauthenticated()
    const [member] = await transaction.query(sql`
      select from user_projects where user_id = ${caller.id} and project_id = ${projectId} and active`)
    if (member) throw duplicate('generalErrors', 'You are a member of this project already.')
    await useLink(transaction, link)
    await requireInviter(transaction, administrators, link)
    await holdProject(transaction, link)
    await insertRow(transaction, userProject, writer, { id: newId(), userId: caller.id, projectId })
  })
  tracker.securityLog?.({
    event: 'link-used',
    outcome: 'invitation',
    ...callerDetails(caller),
    by: link.madeBy,
  })
  return { projectId }
}

/** A link works only as long as the person who made it may invite. */
async function requireInviter(
  queries: Queries,
  administrators: Administrators,
  { madeBy, projectId }: Link,
): Promise<{ readonly name: string }> {
  const [inviter] = await queries.query<PossibleAdministrator & { name: string; isMember: boolean }>(sql`
    select account.name, ${administratorColumns}, exists (
      select 1 from user_projects where user_id = account.id and project_id = ${projectId} and active) as "isMember"
    from users as account where account.id = ${madeBy} and account.active and not ${isDeactivated}`)
  if (!inviter || !(inviter.isMember || administrators.isAdministrator(inviter))) throw linkOver()
  return inviter
}

/** Kept from being removed until the membership is there. */
async function holdProject(transaction: Queries, { projectId }: Link): Promise<void> {
  if (projectId === null) return
  const [found] = await transaction.query(
    sql`select 1 from projects where id = ${projectId} and active for key share`,
  )
  if (!found) throw linkOver()
}
