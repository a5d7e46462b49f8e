import { raw, sql } from '../db/sql.ts'
import type { Schema } from '../http/operation.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize, type Kind } from '../model/field.ts'
import { choice } from '../model/field-kinds.ts'
import { languages } from '../model/language.ts'
import { collectViolations, parseObject } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import type { Route } from '../routes/route.ts'
import { ref } from '../routes/schemas.ts'

const declared = {
  theme: { kind: choice(['light', 'dark']), about: 'The theme of the web client.' },
  density: { kind: choice(['comfortable', 'compact']), about: 'The density of the web client.' },
  language: { kind: choice(languages), about: 'The language of the web client and of mails.' },
} as const

/** Null follows the device. */
type AccountSettings = Readonly<Record<keyof typeof declared, string | null>>

const names = Object.keys(declared) as (keyof typeof declared)[]
const columns = raw(names.join(', '))
const defaults = Object.fromEntries(names.map((name) => [name, null])) as AccountSettings

async function findSettings({ database }: Context, caller: Caller): Promise<AccountSettings> {
  const [settings] = await database.query<AccountSettings>(
    sql`select ${columns} from account_settings where user_id = ${caller.id}`,
  )
  return settings ?? defaults
}

/** Two devices may change different settings at the same time: each statement writes only what its body has. */
async function changeSettings(
  { database }: Context,
  caller: Caller,
  body: unknown,
): Promise<AccountSettings> {
  const { theme, density, language } = parseSettings(body)
  const [settings] = await database.singleWrites.query<AccountSettings>(sql`
    insert into account_settings as known (user_id, theme, density, language)
    values (${caller.id}, ${theme ?? null}::text, ${density ?? null}::text, ${language ?? null}::text)
    on conflict (user_id) do update set
      theme = case when ${theme !== undefined}::boolean then excluded.theme else known.theme end,
      density = case when ${density !== undefined}::boolean then excluded.density else known.density end,
      language = case when ${language !== undefined}::boolean then excluded.language else known.language end
    returning ${columns}`)
  return settings ?? defaults
}

function parseSettings(body: unknown): Partial<AccountSettings> {
  const given = parseObject(body)
  const violations = collectViolations()
  const parsed: { -readonly [Name in keyof AccountSettings]?: AccountSettings[Name] } = {}
  for (const name of names) {
    const input = Object.hasOwn(given, name) ? given[name] : undefined
    if (input === undefined) continue
    const kind: Kind<string> = declared[name].kind
    const result = input === null ? { value: null } : kind.parse(input, capitalize(name))
    if ('value' in result) parsed[name] = result.value
    else violations.add(name, ...result.problems)
  }
  violations.throwIfAny()
  return parsed
}

const properties = Object.fromEntries(
  Object.entries(declared).map(([name, { kind, about }]) => [
    name,
    { ...nullableChoice(kind.schema), description: `${about} Null follows the device.` },
  ]),
)

function nullableChoice({ enum: words }: Schema): Schema {
  return { type: ['string', 'null'], enum: [...(words as readonly string[]), null] }
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

const base = { tag: 'Settings', path: '/ext/settings', answer: ref('AccountSettingsAnswer') }

/** Shows and changes the settings that apply to an account on every device. */
export const accountSettingsRoutes: readonly Route[] = [
  {
    ...base,
    id: 'GetSettings',
    summary: 'Shows the settings of the own account.',
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
    summary: 'Changes settings of the own account.',
    description: 'Absent does not change, and null follows the device again.',
    method: 'PATCH',
    body: ref('AccountSettingsUpdate'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      return { body: { settings: await changeSettings(context, caller, request.body) } }
    },
  },
]
