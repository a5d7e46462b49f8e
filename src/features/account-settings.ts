import { mailDefaults, mailFrequencies, notificationKinds } from '../accounts/notification-mails.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize, type Kind, parseFailure } from '../model/field.ts'
import { choice, integer, isTimeZone } from '../model/field-kinds.ts'
import { languages } from '../model/language.ts'
import { collectViolations, parseObject } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import type { Route } from '../routes/route.ts'
import { ref } from '../routes/schemas.ts'

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

const base = { tag: 'Settings', path: '/ext/settings', response: ref('AccountSettingsAnswer') }

/** Shows and changes the settings that apply to an account on every device. */
export const accountSettingsRoutes: readonly Route[] = [
  {
    ...base,
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
    ...base,
    id: 'ChangeSettings',
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
