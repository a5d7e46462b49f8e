import {
  followChangesMessages,
  readChangesMessages,
  readHistoryMessages,
} from '../src/hosts/commands/history-messages.ts'
import type { Message, MessageField } from '../src/hosts/commands/message.ts'
import { type Comments, commentsOf } from '../src/hosts/commands/protobuf/proto-file.ts'
import { type CommandMessages, commandMessagesOf } from '../src/hosts/commands/resource-messages.ts'
import { capitalize, isRequired } from '../src/model/field.ts'
import {
  dateKeys,
  idFilterNumbers,
  idFiltersOf,
  type Resource,
  supportsDates,
} from '../src/resources/define-resource.ts'
import { allForms } from '../src/resources/derived.ts'

/** Returns the types of the TypeScript client's commands, derived from the declarations. */
export function commandTypesOf(resources: readonly Resource[]): string {
  const comments = commentsOf(resources)
  const forms = allForms(resources)
  return [
    '// Generated from the declarations of the resources by npm run contract; do not edit.',
    "import type { Call, Failure, Outcome, Success } from './call.ts'",
    ...forms.flatMap((form) => typesOf(form, comments)),
    ...historyTypes(comments),
    `/** Every command. Timestamps are RFC 3339 text, which keeps microseconds. */\nexport interface CommandClient {\n${[...forms.flatMap((form) => methodsOf(form, comments)), ...historyMethods(comments)].join('')}}`,
  ]
    .join('\n\n')
    .concat('\n')
}

function typesOf(resource: Resource, comments: Comments): string[] {
  const { typeName, pluralTypeName, name } = resource
  const { create, get, update, list } = commandMessagesOf(resource)
  const record = shapeIn(get.result, name)
  const page = shapeIn(list.result, 'result')
  const pagination = shapeIn(list.request, 'pagination')
  const keys = pagination.fields.filter((key) => isSupported(resource, key.name))
  const typed = (type: string, message: Message, markOf: Mark, fields = message.fields) =>
    interfaceText(type, { ...message, fields }, { comments, markOf, resource })
  return [
    typed(typeName, record, (field) => (isNullable(resource, field) ? 'or null' : '')),
    typed(`${typeName}Page`, page, () => ''),
    ...(create ? [typed(`Create${typeName}Request`, create.request, marksOfRequest(resource, create))] : []),
    typed(`Update${typeName}Request`, update.request, marksOfRequest(resource, update)),
    typed(`${pluralTypeName}Keys`, pagination, () => '?', keys),
    resultText(`${typeName}Result`, name, typeName),
    resultText(`${pluralTypeName}Result`, 'result', `${typeName}Page`),
  ]
}

const shapeIn = ({ fields }: Message, name: string): Message =>
  fields.find((field) => field.name === name)?.shape as Message

/** Returns the types of the history and the feed, which belong to no resource. */
function historyTypes(comments: Comments): string[] {
  const page = (command: CommandMessages) => shapeIn(command.result, 'result')
  const [historyPage, changePage] = [page(readHistoryMessages), page(readChangesMessages)]
  const typed = (type: string, message: Message, mark: Mark) =>
    interfaceText(type, message, { comments, markOf: mark })
  const shown: Mark = ({ isOptional }) => (isOptional ? 'or null' : '')
  return [
    typed('Change', shapeIn(historyPage, 'data'), shown),
    ...[historyPage, changePage].map((message) => typed(message.name, message, shown)),
    ...historyCommands.map(({ name, request }) => typed(`${name}Request`, request, () => '?')),
    ...[readHistoryMessages, readChangesMessages].map((command) =>
      resultText(`${command.name}Result`, 'result', page(command).name),
    ),
  ]
}

const historyCommands = [readHistoryMessages, readChangesMessages, followChangesMessages]

/** Leaves out the stream, whose method is written by hand. */
const historyMethods = (comments: Comments): string[] =>
  [readHistoryMessages, readChangesMessages].map(({ name, request }) =>
    methodText(comments, { name, request }, `Call<${name}Request, ${name}Result>`),
  )

/** Returns whether the lists of the resource have this key. */
function isSupported(resource: Resource, key: string): boolean {
  if (Object.hasOwn(idFilterNumbers, key)) return idFiltersOf(resource).includes(key)
  return supportsDates(resource) || !dateKeys.some((name) => name === key)
}

const isNullable = ({ fields }: Resource, { name }: MessageField): boolean =>
  fields[name]?.presence === 'optional' || name === 'updatedAt' || name === 'deletedAt'

/** Returns `?` for a property that may be left out, and `or null` for one that may be null. */
type Mark = (field: MessageField) => '' | '?' | 'or null' | '? or null'

/** Returns the marks of a request: a field that may be left out may also be null. */
function marksOfRequest({ fields }: Resource, { name: command }: CommandMessages): Mark {
  const purpose = command.startsWith('Update') ? 'update' : 'create'
  return ({ name }) => {
    if (name === 'updateMask') return '?'
    if (name === 'id') return purpose === 'update' ? '' : '? or null'
    const field = fields[name]
    return field && isRequired(field, purpose) ? '' : '? or null'
  }
}

const resultText = (name: string, property: string, type: string): string =>
  `export type ${name} =\n  | (Success & { readonly ${property}: ${type} })\n  | (Failure & { readonly ${property}: null })`

function methodsOf(resource: Resource, comments: Comments): string[] {
  const { typeName, pluralTypeName } = resource
  const { create, get, list, remove, update } = commandMessagesOf(resource)
  const method = (command: CommandMessages, type: string) => methodText(comments, command, type)
  return [
    ...(create ? [method(create, `Call<Create${typeName}Request, ${typeName}Result>`)] : []),
    method(get, `Call<{ readonly id: string }, ${typeName}Result>`),
    method(list, `Call<{ readonly pagination: ${pluralTypeName}Keys }, ${pluralTypeName}Result>`),
    method(remove, 'Call<{ readonly ids: readonly string[] }, Outcome>'),
    method(update, `Call<Update${typeName}Request, Outcome>`),
  ]
}

const methodText = (
  comments: Comments,
  { name, request }: Pick<CommandMessages, 'name' | 'request'>,
  type: string,
): string =>
  `  ${comment(comments.message(request))}\n  readonly ${name.charAt(0).toLowerCase()}${name.slice(1)}: ${type}\n`

interface InterfaceOptions {
  readonly comments: Comments
  readonly markOf: Mark
  /** Absent for messages that belong to no resource. */
  readonly resource?: Resource
}

function interfaceText(
  name: string,
  message: Message,
  { comments, markOf, resource }: InterfaceOptions,
): string {
  const properties = message.fields.map((field) => {
    const mark = markOf(field)
    const type = `${typeOf(field, resource)}${mark.endsWith('or null') ? ' | null' : ''}`
    const about = `${field.isDeprecated ? '@deprecated ' : ''}${comments.field(message, field, resource)}`
    return `  ${comment(about, mark)}\n  readonly ${field.name}${mark.startsWith('?') ? '?' : ''}: ${type}\n`
  })
  return `${comment(comments.message(message))}\nexport interface ${name} {\n${properties.join('')}}`
}

/** Adapts a comment of the .proto file: names become camelCase, and absent fields may be null. */
const comment = (text: string, mark: ReturnType<Mark> = 'or null'): string =>
  `/** ${text
    .replace(/\b[a-z]+_[a-z]+\b/g, camelCase)
    .replace(/\babsent\b/gi, (word) => (word === 'absent' ? absentAs[mark] : capitalize(absentAs[mark])))} */`

/** The values that a client sends or gets for an absent field. */
const absentAs: Readonly<Record<ReturnType<Mark>, string>> = {
  '': 'null',
  '?': 'absent',
  'or null': 'null',
  '? or null': 'null or absent',
}

const camelCase = (name: string): string => name.replace(/_(.)/, (_, letter) => letter.toUpperCase())

function typeOf({ name, shape, isRepeated }: MessageField, { fields = {} }: Partial<Resource> = {}): string {
  if (name === 'sortOrder') return "'ASC' | 'DESC'"
  if (name === 'updateMask') {
    const optional = Object.keys(fields).filter((field) => fields[field]?.presence === 'optional')
    return `{ readonly paths: readonly (${optional.map((field) => `'${field}'`).join(' | ')})[] }`
  }
  const type = typeof shape === 'string' ? types[shape] : shape.name
  return isRepeated ? `readonly ${type}[]` : type
}

const types = {
  text: 'string',
  uuid: 'string',
  timestamp: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  values: 'Readonly<Record<string, unknown>>',
} as const
