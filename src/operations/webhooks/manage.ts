import { randomBytes } from 'node:crypto'
import { rememberedRow } from '../../access/remembered-rows.ts'
import type { Caller } from '../../model/caller.ts'
import { forbidden, invalid, missing } from '../../model/problem.ts'
import { project } from '../../resources/project.ts'
import { newId } from '../../store/new-id.ts'
import { allOf, join, raw, sql } from '../../store/sql.ts'
import { writePosition } from '../feed/position.ts'
import { newestPosition } from '../feed/read-feed.ts'
import type { Tracker } from '../tracker.ts'
import { bodyOf, keepMessages } from './queue.ts'
import { type AddressProblem, readWebhook } from './read-webhook.ts'
import { mine, requireReadable } from './readable.ts'

export interface Webhook {
  readonly id: string
  readonly userId: string
  readonly projectId: string | null
  readonly url: string
  readonly name: string | null
  readonly resources: readonly string[] | null
  readonly actions: readonly string[] | null
  readonly active: boolean
  readonly pausedAt: string | null
  readonly pausedBecause: string | null
  readonly createdAt: string
  /** How many wait to be delivered. */
  readonly waiting: number
}

const columns =
  raw(`hook.id, hook.user_id as "userId", hook.project_id as "projectId", hook.url, hook.name, hook.resources,
  hook.actions, hook.active, hook.paused_at as "pausedAt", hook.paused_because as "pausedBecause", hook.created_at as "createdAt",
  (select count(*) from webhook_deliveries where webhook_id = hook.id and next_at is not null) as waiting`)

/** Each reads the feed again for itself. */
const webhooksOfAccountMax = 20
export const webhooksListedMax = 100
/** A receiver has a day to learn the new secret. */
const previousSecretHours = 24

/** As the scheme wants it: 24 to 64 random bytes. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** Of one project for its members, of everything for administrators. The secret is shown once, here. */
export async function createWebhook(
  { database }: Tracker,
  caller: Caller,
  body: unknown,
  problemOf: AddressProblem,
): Promise<Webhook & { readonly secret: string }> {
  const {
    url = '',
    name = null,
    resources = null,
    actions = null,
    projectId,
  } = readWebhook(body, 'create', problemOf)
  if (projectId === undefined && !caller.isAdministrator)
    throw forbidden('Only administrators may have a webhook of everything. Name a project.')
  const position = await newestPosition(database.lists, caller)
  const id = newId()
  const secret = newSecret()
  const [made] = await database.transaction(async (transaction) => {
    // The lock of the account makes the count hold.
    await transaction.query(sql`select 1 from users where id = ${caller.id} for no key update`)
    const [{ count = 0 } = {}] = await transaction.query<{ count: number }>(
      sql`select count(*) as count from webhooks where user_id = ${caller.id}`,
    )
    if (count >= webhooksOfAccountMax)
      throw invalid({ generalErrors: [`An account may have at most ${webhooksOfAccountMax} webhooks.`] })
    if (projectId !== undefined) {
      const [seen] = await transaction.query(sql`
        select 1 from projects as row where id = ${projectId} and active and ${rememberedRow(project, caller)} for key share`)
      if (!seen) throw invalid({ projectId: ['ProjectId must refer to an active project.'] })
    }
    return transaction.query<Webhook>(sql`
      with hook as (
        insert into webhooks (id, user_id, project_id, url, name, resources, actions, secret, position, since)
        values (${id}, ${caller.id}, ${projectId ?? null}, ${url}, ${name}, ${resources}, ${actions}, ${secret},
          ${writePosition(position)}, ${position.since})
        returning *
      ) select ${columns} from hook`)
  })
  return { ...(made as Webhook), secret }
}

export async function listWebhooks(
  { database }: Tracker,
  caller: Caller,
  projectId: string | undefined,
): Promise<Webhook[]> {
  const conditions = [mine(caller), ...(projectId === undefined ? [] : [sql`hook.project_id = ${projectId}`])]
  return database.lists.query<Webhook>(
    sql`select ${columns} from webhooks as hook where ${allOf(conditions)} order by hook.id limit ${webhooksListedMax}::int`,
    caller.id,
  )
}

export async function updateWebhook(
  { database }: Tracker,
  caller: Caller,
  body: unknown,
  problemOf: AddressProblem,
): Promise<Webhook> {
  const { id, url, name, resources, actions, active } = readWebhook(body, 'update', problemOf)
  const changes = [
    ...(url === undefined ? [] : [sql`url = ${url}`]),
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(resources === undefined ? [] : [sql`resources = ${resources}`]),
    ...(actions === undefined ? [] : [sql`actions = ${actions}`]),
    ...(active === false ? [sql`active = false, paused_at = now(), paused_because = ${'By hand.'}`] : []),
    // Looked at again at once, from where it stopped.
    ...(active === true
      ? [raw(`active = true, paused_at = null, paused_because = null, since = '1:1:'`)]
      : []),
    raw('claim = null, claimed_until = null'),
  ]
  const [changed] = await database.transaction(async (transaction) => {
    await requireReadable(transaction, caller, id ?? '')
    const found = await transaction.query<Webhook>(sql`
      with hook as (update webhooks as hook set ${join(changes, ', ')} where hook.id = ${id} and ${mine(caller)} returning *)
      select ${columns} from hook`)
    // A receiver that works again gets its messages at once, and has three days again.
    if (active === true)
      await transaction.query(sql`
        update webhook_deliveries set next_at = now(), first_at = null, attempts = 0
        where webhook_id = ${found[0]?.id ?? null}::uuid and next_at is not null`)
    return found
  })
  if (!changed) throw missing('Webhook')
  return changed
}

export async function removeWebhook({ database }: Tracker, caller: Caller, id: string): Promise<void> {
  const removed = await database.single.query(
    sql`delete from webhooks as hook where hook.id = ${id} and ${mine(caller)} returning true`,
  )
  if (removed.length === 0) throw missing('Webhook')
}

export async function rotateSecret({ database }: Tracker, caller: Caller, id: string): Promise<string> {
  await requireReadable(database, caller, id)
  const secret = newSecret()
  const changed = await database.single.query(sql`
    update webhooks as hook set previous_secret = secret, secret = ${secret},
      previous_until = now() + make_interval(hours => ${previousSecretHours}::int), claim = null, claimed_until = null
    where hook.id = ${id} and ${mine(caller)} returning true`)
  if (changed.length === 0) throw missing('Webhook')
  return secret
}

/** Puts a message in the queue that is about nothing; its delivery is in the log like any other. */
export async function testWebhook({ database }: Tracker, caller: Caller, id: string): Promise<string> {
  await requireReadable(database, caller, id)
  const message = `test.${newId()}`
  const body = bodyOf('test', new Date().toISOString(), { webhookId: id })
  await database.transaction((transaction) =>
    keepMessages(transaction, id, [{ message, type: 'test', rowId: newId(), body }], Date.now()),
  )
  return message
}
