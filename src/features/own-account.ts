import { accountTable, changePassword, passwordChangeKey } from '../accounts/change-password.ts'
import type { Lockouts } from '../accounts/lockouts.ts'
import { mailDefaults, mailFrequencies, notificationKinds } from '../accounts/notification-mails.ts'
import { selectColumns } from '../db/columns.ts'
import type { Database } from '../db/database.ts'
import { updateRow } from '../db/rows.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize, type Kind, parseFailure } from '../model/field.ts'
import {
  choice,
  integer,
  isTimeZone,
  newPassword,
  passwordCharactersMax,
  text,
  uuid,
} from '../model/field-kinds.ts'
import { languages } from '../model/language.ts'
import { changed, collectViolations, parseFields, parseObject, unauthenticated } from '../model/problem.ts'
import { nameCharactersMax } from '../model/text.ts'
import type { Context } from '../records/context.ts'
import { etagOfBody, matchesIfMatch, type Route } from '../routes/route.ts'
import { ref, timestamp } from '../routes/schemas.ts'

const base = { tag: 'Account', path: '/api/me' }

export const accountSchemas: Readonly<Record<string, Schema>> = {
  Account: {
    type: 'object',
    required: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      name: { type: 'string', description: 'The display name.', examples: ['Ann Example'] },
      login: { type: 'string', description: 'The sign-in name.', examples: ['ann@example.com'] },
      createdAt: { ...timestamp, description: 'The time it was created.' },
      updatedAt: {
        ...timestamp,
        type: ['string', 'null'],
        description: 'The time of the last change; null if there was none.',
      },
    },
  },
  AccountUpdate: {
    type: 'object',
    required: ['name'],
    properties: {
      name: {
        ...text({ max: nameCharactersMax }).schema,
        minLength: 1,
        description: 'The new display name.',
        examples: ['Ann Example'],
      },
    },
  },
  PasswordChange: {
    type: 'object',
    required: ['currentPassword', 'newPassword'],
    properties: {
      currentPassword: {
        type: 'string',
        format: 'password',
        minLength: 1,
        maxLength: passwordCharactersMax,
        writeOnly: true,
        description: 'The password to be replaced.',
        examples: ['Correct-horse-7'],
      },
      newPassword: { ...newPassword.schema, examples: ['Battery-staple-8'] },
    },
  },
}

/** Routes about the account of the token. A body cannot name another account. */
export const accountRoutes = (lockouts: Lockouts): Route[] => [
  {
    ...base,
    id: 'GetOwnAccount',
    summary: 'Shows the caller’s account.',
    description: 'The account of the token; for a service client, the account that it acts as.',
    method: 'GET',
    response: ref('Account'),
    errors: [],
    hasETag: true,
    acceptsPersonalAccessTokens: true,
    async handle({ context, caller, reply }) {
      const body = await readOwnAccount(context.database, caller)
      reply.header('etag', etagOfBody(caller, body)).header('cache-control', 'private, no-cache')
      return { body }
    },
  },
  {
    ...base,
    id: 'UpdateOwnAccount',
    summary: 'Changes the caller’s name.',
    description: 'Only the name can be changed here. Administrators change logins.',
    method: 'PATCH',
    body: ref('AccountUpdate'),
    response: ref('Success'),
    hasPrecondition: true,
    errors: [400, 412],
    async handle(exchange) {
      const { context, caller, request } = exchange
      await renameOwnAccount(context.database, caller, request.body, (account) =>
        matchesIfMatch(exchange, account),
      )
      return { body: { success: true } }
    },
  },
  {
    ...base,
    path: '/api/me/password',
    id: 'ChangeOwnPassword',
    requiresPasswords: true,
    summary: 'Changes the caller’s password and ends every session of the account.',
    description:
      'After five wrong current passwords, the password cannot be changed for a quarter of an hour. After a change, every token of the account stops working, including the one of this request.',
    method: 'POST',
    body: ref('PasswordChange'),
    response: ref('Success'),
    errors: [400],
    // Checked before the rest of the request, so that a locked account gets this error for every request.
    admit: (caller) => lockouts.requireUnlocked(passwordChangeKey(caller)),
    async handle({ context, caller, request }) {
      // The lockouts write outside of the transaction: a rejected change must not undo the count of wrong
      // passwords.
      await changePassword({ ...context, lockouts }, caller, request.body)
      return { body: { success: true } }
    },
  },
]

export interface OwnAccount {
  readonly id: string
  readonly name: string
  readonly login: string
  readonly createdAt: string
  readonly updatedAt: string | null
}

export async function readOwnAccount(database: Database, caller: Caller): Promise<OwnAccount> {
  const [account] = await database.query<OwnAccount>(
    sql`select ${selectColumns(accountTable)} from users as row where id = ${caller.id} and active`,
  )
  if (!account) throw unauthenticated()
  return account
}

/** Locks the row, and rejects the change unless `isExpected` returns true for it. */
export async function renameOwnAccount(
  database: Database,
  caller: Caller,
  body: unknown,
  isExpected: (account: OwnAccount) => boolean = () => true,
): Promise<void> {
  const { name } = parseFields(body, { name: text({ max: nameCharactersMax }) })
  await database.transaction(async (transaction) => {
    const [account] = await transaction.query<OwnAccount>(
      sql`select ${selectColumns(accountTable)} from users as row where id = ${caller.id} and active for no key update`,
    )
    if (!account) throw unauthenticated()
    if (!isExpected(account)) throw changed('Account')
    await updateRow(transaction, accountTable, caller, caller.id, { name })
  })
}

interface Setting {
  readonly column: string
  readonly type: string
  readonly kind: Pick<Kind<unknown>, 'schema' | 'parse'>
  readonly description: string
}

const timeZone: Setting['kind'] = {
  schema: { type: 'string', minLength: 1, maxLength: 64, examples: ['America/Sao_Paulo'] },
  parse: (input, label) =>
    typeof input === 'string' && isTimeZone(input)
      ? { value: input }
      : parseFailure(`${label} must be a name of the IANA time zone database, such as America/Sao_Paulo.`),
}

const notificationKindList: Setting['kind'] = {
  schema: {
    type: 'array',
    items: { type: 'string', enum: notificationKinds },
    uniqueItems: true,
    maxItems: notificationKinds.length,
  },
  parse(input, label) {
    const validKinds: readonly unknown[] = notificationKinds
    const isValid =
      Array.isArray(input) &&
      input.length <= validKinds.length &&
      input.every((name) => validKinds.includes(name))
    return isValid
      ? { value: [...new Set(input)] }
      : parseFailure(`${label} must be an array of ${notificationKinds.join(', ')}.`)
  },
}

const declaredSettings: Readonly<Record<string, Setting>> = {
  theme: {
    column: 'theme',
    type: 'text',
    kind: choice(['light', 'dark']),
    description: 'The theme of the web client. Null follows the device.',
  },
  density: {
    column: 'density',
    type: 'text',
    kind: choice(['comfortable', 'compact']),
    description: 'The density of the web client. Null follows the device.',
  },
  language: {
    column: 'language',
    type: 'text',
    kind: choice(languages),
    description: 'The language of the web client and of mails. Null follows the device.',
  },
  notificationMails: {
    column: 'notification_mails',
    type: 'text',
    kind: choice(mailFrequencies),
    description: `When notifications are mailed: soon, bundled over a few minutes; daily, in one digest; or never. Null is ${mailDefaults.frequency}.`,
  },
  notificationHour: {
    column: 'notification_hour',
    type: 'smallint',
    kind: integer({ min: 0, max: 23 }),
    description: `The hour of the daily digest, in the time zone of the account. Null is ${mailDefaults.hour}.`,
  },
  timeZone: {
    column: 'time_zone',
    type: 'text',
    kind: timeZone,
    description: `The time zone of the account, by its name in the IANA database. Null is ${mailDefaults.timeZone}.`,
  },
  mutedKinds: {
    column: 'muted_kinds',
    type: 'text[]',
    kind: notificationKindList,
    description:
      'The kinds of notifications that are never mailed; the list of notifications still contains them. Null means none.',
  },
}

type AccountSettings = Readonly<Record<string, unknown>>

const columns = raw(
  Object.entries(declaredSettings)
    .map(([name, { column }]) => `${column} as "${name}"`)
    .join(', '),
)
const defaults: AccountSettings = Object.fromEntries(
  Object.keys(declaredSettings).map((name) => [name, null]),
)

async function findSettings({ database }: Context, caller: Caller): Promise<AccountSettings> {
  const [settings] = await database.query<AccountSettings>(
    sql`select ${columns} from account_settings where user_id = ${caller.id}`,
  )
  return settings ?? defaults
}

/**
 * Writes only the settings of the body, because two devices may change different settings at the same time.
 * The time of a waiting mail depends on the settings, so it is calculated again.
 */
async function changeSettings(context: Context, caller: Caller, body: unknown): Promise<AccountSettings> {
  const changes = parseSettings(body)
  if (changes.length === 0) return findSettings(context, caller)
  const columnNames = raw(changes.map(({ column }) => column).join(', '))
  const values = changes.map(({ value, type }): Sql => sql`${value}::${raw(type)}`)
  const assignments = raw(changes.map(({ column }) => `${column} = excluded.${column}`).join(', '))
  const [settings] = await context.database.singleWrites.query<AccountSettings>(sql`
    with due_again as (update notification_mails set due_at = null where user_id = ${caller.id})
    insert into account_settings (user_id, ${columnNames}) values (${caller.id}, ${join(values, ', ')})
    on conflict (user_id) do update set ${assignments}
    returning ${columns}`)
  return settings ?? defaults
}

interface SettingChange extends Setting {
  readonly value: unknown
}

function parseSettings(body: unknown): readonly SettingChange[] {
  const fields = parseObject(body)
  const violations = collectViolations()
  const parsed: SettingChange[] = []
  for (const [name, setting] of Object.entries(declaredSettings)) {
    const input = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (input === undefined) continue
    const result = input === null ? { value: null } : setting.kind.parse(input, capitalize(name))
    if ('value' in result) parsed.push({ ...setting, value: result.value })
    else violations.add(name, ...result.problems)
  }
  violations.throwIfAny()
  return parsed
}

const names = Object.keys(declaredSettings)
const properties = Object.fromEntries(
  Object.entries(declaredSettings).map(([name, { kind, description }]) => [
    name,
    { ...nullable(kind.schema), description },
  ]),
)

function nullable({ type, enum: values, ...rest }: Schema): Schema {
  return {
    ...rest,
    type: [type, 'null'],
    ...(values !== undefined && { enum: [...(values as string[]), null] }),
  }
}

export const accountSettingsSchemas: Readonly<Record<string, Schema>> = {
  AccountSettings: { type: 'object', required: names, properties },
  AccountSettingsUpdate: { type: 'object', properties },
  AccountSettingsAnswer: {
    type: 'object',
    required: ['settings'],
    properties: { settings: ref('AccountSettings') },
  },
}

const settingsOperation = { tag: 'Settings', path: '/ext/settings', response: ref('AccountSettingsAnswer') }

/** Shows and changes the settings that apply to an account on every device. */
export const accountSettingsRoutes: readonly Route[] = [
  {
    ...settingsOperation,
    id: 'GetSettings',
    summary: 'Shows the settings of the caller’s account.',
    description: 'They are the same on every device.',
    method: 'GET',
    errors: [400, 403],
    async handle({ context, caller }) {
      return { body: { settings: await findSettings(context, caller) } }
    },
  },
  {
    ...settingsOperation,
    id: 'UpdateSettings',
    summary: 'Changes settings of the caller’s account.',
    description: 'An absent setting does not change. Null resets it to the default.',
    method: 'PATCH',
    body: ref('AccountSettingsUpdate'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      return { body: { settings: await changeSettings(context, caller, request.body) } }
    },
  },
]
