import { randomBytes } from 'node:crypto'
import { firstSnapshot } from '../../db/change-log.ts'
import type { Queries } from '../../db/database.ts'
import { newId } from '../../db/rows.ts'
import { allOf, join, raw, type Sql, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import { isLongerThan, isNullOrBlank, isStorable } from '../../model/field-kinds.ts'
import {
  collectViolations,
  forbidden,
  invalid,
  notFound,
  parseObject,
  type Violations,
} from '../../model/problem.ts'
import { nameCharactersMax } from '../../model/text.ts'
import type { Context } from '../../records/context.ts'
import { parseNames, parseUuid } from '../../records/list-query.ts'
import { historyVisibleRow } from '../../records/visible-rows.ts'
import { resources } from '../../resources/all.ts'
import { project } from '../../resources/project.ts'
import { feedActions, formatPosition, newestPosition } from '../changes/read-feed.ts'
import { messageBody, queueMessages } from './queue.ts'

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
  /** The number of pending deliveries. */
  readonly waiting: number
}

const columns =
  raw(`hook.id, hook.user_id as "userId", hook.project_id as "projectId", hook.url, hook.name, hook.resources,
  hook.actions, hook.active, hook.paused_at as "pausedAt", hook.paused_because as "pausedBecause", hook.created_at as "createdAt",
  (select count(*) from webhook_deliveries where webhook_id = hook.id and next_at is not null) as waiting`)

/** The number is limited, because each webhook reads the feed separately. */
const webhooksOfAccountMax = 20
export const webhooksListedMax = 100
/** The time in which a receiver has to switch to the new secret: until then, both sign. */
const previousSecretHours = 24

/** The scheme requires 24 to 64 random bytes. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/**
 * Members create webhooks for a project, administrators also for everything. Only this result and the result
 * of `rotateSecret` contain the secret.
 */
export async function createWebhook(
  { database }: Context,
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
  } = parseWebhook(body, 'create', problemOf)
  if (projectId === undefined && !caller.isAdministrator)
    throw forbidden('Only administrators may have a webhook for everything. Choose a project.')
  const position = await newestPosition(database.listReads, caller)
  const id = newId()
  const secret = newSecret()
  const [created] = await database.transaction(async (transaction) => {
    // The lock of the account protects the count.
    await transaction.query(sql`select 1 from users where id = ${caller.id} for no key update`)
    const [{ count = 0 } = {}] = await transaction.query<{ count: number }>(
      sql`select count(*) as count from webhooks where user_id = ${caller.id}`,
    )
    if (count >= webhooksOfAccountMax)
      throw invalid({ generalErrors: [`An account may have at most ${webhooksOfAccountMax} webhooks.`] })
    if (projectId !== undefined) {
      const [visible] = await transaction.query(sql`
        select 1 from projects as row where id = ${projectId} and active and ${historyVisibleRow(project, caller)} for key share`)
      if (!visible) throw invalid({ projectId: ['ProjectId must refer to an active project.'] })
    }
    return transaction.query<Webhook>(sql`
      with hook as (
        insert into webhooks (id, user_id, project_id, url, name, resources, actions, secret, position, since)
        values (${id}, ${caller.id}, ${projectId ?? null}, ${url}, ${name}, ${resources}, ${actions}, ${secret},
          ${formatPosition(position)}, ${position.since})
        returning *
      ) select ${columns} from hook`)
  })
  return { ...(created as Webhook), secret }
}

export async function listWebhooks(
  { database }: Context,
  caller: Caller,
  projectId: string | undefined,
): Promise<Webhook[]> {
  const conditions = [
    isVisibleWebhook(caller),
    ...(projectId === undefined ? [] : [sql`hook.project_id = ${projectId}`]),
  ]
  return database.listReads.query<Webhook>(
    sql`select ${columns} from webhooks as hook where ${allOf(conditions)}
      order by hook.created_at desc, hook.id limit ${webhooksListedMax}::int`,
    caller.id,
  )
}

export async function updateWebhook(
  { database }: Context,
  caller: Caller,
  body: unknown,
  problemOf: AddressProblem,
): Promise<Webhook> {
  const { id, url, name, resources, actions, active } = parseWebhook(body, 'update', problemOf)
  const changes = [
    ...(url === undefined ? [] : [sql`url = ${url}`]),
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(resources === undefined ? [] : [sql`resources = ${resources}`]),
    ...(actions === undefined ? [] : [sql`actions = ${actions}`]),
    ...(active === false ? [sql`active = false, paused_at = now(), paused_because = ${'By hand.'}`] : []),
    // The webhook is due at once, because `since` is before every change. It continues from its position.
    ...(active === true
      ? [sql`active = true, paused_at = null, paused_because = null, since = ${firstSnapshot}`]
      : []),
    // An instance that is serving the webhook loses its claim, and the next one reads the new values.
    raw('claim = null, claimed_until = null'),
  ]
  const [changed] = await database.transaction(async (transaction) => {
    await requireReadableProject(transaction, caller, id ?? '')
    const found = await transaction.query<Webhook>(sql`
      with hook as (update webhooks as hook set ${join(changes, ', ')} where hook.id = ${id} and ${isVisibleWebhook(caller)} returning *)
      select ${columns} from hook`)
    // The receiver probably works again, so pending messages are due at once and their three days start
    // again.
    if (active === true)
      await transaction.query(sql`
        update webhook_deliveries set next_at = now(), first_at = null, attempts = 0
        where webhook_id = ${found[0]?.id ?? null}::uuid and next_at is not null`)
    return found
  })
  if (!changed) throw notFound('Webhook')
  return changed
}

export async function removeWebhook({ database }: Context, caller: Caller, id: string): Promise<void> {
  const removed = await database.singleWrites.query(
    sql`delete from webhooks as hook where hook.id = ${id} and ${isVisibleWebhook(caller)} returning true`,
  )
  if (removed.length === 0) throw notFound('Webhook')
}

export async function rotateSecret({ database }: Context, caller: Caller, id: string): Promise<string> {
  await requireReadableProject(database, caller, id)
  const secret = newSecret()
  const changed = await database.singleWrites.query(sql`
    update webhooks as hook set previous_secret = secret, secret = ${secret},
      previous_until = now() + make_interval(hours => ${previousSecretHours}::int), claim = null, claimed_until = null
    where hook.id = ${id} and ${isVisibleWebhook(caller)} returning true`)
  if (changed.length === 0) throw notFound('Webhook')
  return secret
}

/** Queues a message about no row; its delivery is in the log like any other. */
export async function queueTestMessage({ database }: Context, caller: Caller, id: string): Promise<string> {
  await requireReadableProject(database, caller, id)
  const message = `test.${newId()}`
  const body = messageBody('test', new Date().toISOString(), { webhookId: id })
  await database.transaction((transaction) =>
    queueMessages(transaction, id, [{ message, type: 'test', rowId: newId(), body }], Date.now()),
  )
  return message
}

/** Returns what is wrong with the URL of a receiver, as the rest of a sentence that begins with Url. */
type AddressProblem = (url: URL) => string | undefined

export const urlCharactersMax = 2000

export interface WebhookInput {
  readonly url?: string | undefined
  readonly name?: string | null | undefined
  /** Null means all, as for `actions`. */
  readonly resources?: readonly string[] | null | undefined
  readonly actions?: readonly string[] | null | undefined
  readonly projectId?: string | undefined
  readonly active?: boolean | undefined
  readonly id?: string | undefined
}

/** Absent properties of an update stay unchanged. */
function parseWebhook(body: unknown, purpose: 'create' | 'update', problemOf: AddressProblem): WebhookInput {
  const fields = parseObject(body)
  const violations = collectViolations()
  const input: WebhookInput = {
    id: purpose === 'update' ? parseWebhookId(fields.id, violations) : undefined,
    url: parseUrl(fields.url, purpose, problemOf, violations),
    name: parseName(fields.name, violations),
    resources: parseList(
      'resources',
      fields.resources,
      resources.map(({ name }) => name),
      violations,
    ),
    actions: parseList('actions', fields.actions, feedActions, violations),
    projectId:
      purpose === 'create' && !isNullOrBlank(fields.projectId)
        ? parseUuid('projectId', fields.projectId, violations)
        : undefined,
    active: parseActive(fields.active, violations),
  }
  violations.throwIfAny()
  return input
}

export function parseWebhookId(input: unknown, violations: Violations): string | undefined {
  if (isNullOrBlank(input)) violations.add('id', 'Id is required.')
  return isNullOrBlank(input) ? undefined : parseUuid('id', input, violations)
}

function parseUrl(
  input: unknown,
  purpose: 'create' | 'update',
  problemOf: AddressProblem,
  violations: Violations,
) {
  if (isNullOrBlank(input)) {
    if (purpose === 'create') violations.add('url', 'Url is required.')
    return undefined
  }
  if (typeof input !== 'string' || !URL.canParse(input) || !/^https?:/i.test(input)) {
    violations.add('url', 'Url must be an https address.')
    return undefined
  }
  const url = new URL(input)
  const problem = problemOf(url)
  if (problem !== undefined) violations.add('url', `Url ${problem}`)
  if (url.username || url.password) violations.add('url', 'Url must not contain a user name or a password.')
  if (url.href.length > urlCharactersMax)
    violations.add('url', `Url must be at most ${urlCharactersMax} characters.`)
  url.hash = ''
  return url.href
}

function parseName(input: unknown, violations: Violations): string | null | undefined {
  if (input === undefined || input === null) return input
  if (typeof input !== 'string' || !isStorable(input)) violations.add('name', 'Name must be text.')
  else if (isLongerThan(input.trim(), nameCharactersMax))
    violations.add('name', `Name must be at most ${nameCharactersMax} characters.`)
  else return input.trim()
  return undefined
}

function parseList(key: string, input: unknown, validNames: readonly string[], violations: Violations) {
  if (input === undefined || input === null) return input
  if (!Array.isArray(input) || input.length === 0) {
    violations.add(key, `${capitalize(key)} must be a list with at least one, or null for all.`)
    return undefined
  }
  return parseNames(key, input.join(','), validNames, violations)
}

function parseActive(input: unknown, violations: Violations): boolean | undefined {
  if (input === undefined || input === null) return undefined
  if (typeof input === 'boolean') return input
  violations.add('active', 'Active must be true or false.')
  return undefined
}

/** The condition under which the caller may see and change a webhook called `hook`. */
export const isVisibleWebhook = (caller: Caller): Sql =>
  caller.isAdministrator ? raw('true') : sql`hook.user_id = ${caller.id}`

export async function requireVisibleWebhook(queries: Queries, caller: Caller, id: string): Promise<void> {
  const [found] = await queries.query(
    sql`select 1 from webhooks as hook where hook.id = ${id} and ${isVisibleWebhook(caller)}`,
  )
  if (!found) throw notFound('Webhook')
}

/**
 * Throws if the caller can no longer read the project of the webhook. Called before a webhook is updated,
 * its secret is rotated, or a test or a replay is queued.
 */
export async function requireReadableProject(queries: Queries, caller: Caller, id: string): Promise<void> {
  const [found] = await queries.query<{ isReadable: boolean }>(sql`
    select hook.project_id is null or exists (
        select 1 from projects as row where row.id = hook.project_id and ${historyVisibleRow(project, caller)}
      ) as "isReadable"
    from webhooks as hook where hook.id = ${id} and ${isVisibleWebhook(caller)}`)
  if (!found) throw notFound('Webhook')
  if (!found.isReadable)
    throw forbidden('You can no longer read the project of this webhook. It can only be removed.')
}
