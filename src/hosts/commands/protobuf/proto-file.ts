import { capitalize, type Field, isRequired } from '../../../model/field.ts'
import {
  idsMax,
  pageNumberMax,
  pageSizeDefault,
  pageSizeMax,
  searchCharactersMax,
} from '../../../records/list-query.ts'
import { resources } from '../../../resources/all.ts'
import type { Edition, Resource } from '../../../resources/define-resource.ts'
import { allForms, describeField } from '../../../resources/derived.ts'
import { type Command, isStream } from '../commands.ts'
import { type Message, type MessageField, packages } from '../message.ts'
import { neverClearedNumberMin } from '../resource-messages.ts'
import { hasMarkedPresence, importsOf, messagesIn, snakeCase } from './descriptors.ts'

/** The descriptor as text, for generating clients in other languages. */
export function protoFile(
  edition: Edition,
  commands: readonly Command[],
  declared: readonly Resource[] = resources,
): string {
  const comments = commentsOf(declared)
  return `${[
    '// Derived from the declarations of the resources; a test compares. Version 1 changes by additions only.',
    'syntax = "proto3";',
    `package ${packages[edition].name};`,
    importsOf(commands)
      .map((path) => `import "${path}";`)
      .join('\n'),
    `option go_package = "${packages[edition].go}";\noption java_package = "${packages[edition].java}";`,
    serviceText(commands, comments),
    ...messagesIn(commands).map((message) => messageText(message, comments)),
  ].join('\n\n')}\n`
}

const serviceText = (commands: readonly Command[], comments: Comments): string =>
  block(
    '// The commands of all resources. Each wants a bearer token with the scope svc.grpc as its authorization.',
    'service Commands',
    commands.flatMap((command) => [
      `// ${comments.message(command.request)}`,
      `rpc ${command.name}(${command.request.name}) returns (${isStream(command) ? 'stream ' : ''}${command.result.name});`,
    ]),
  )

const messageText = (message: Message, comments: Comments): string =>
  block(`// ${comments.message(message)}`, `message ${message.name}`, [
    ...Object.entries(message.retired ?? {}).flatMap(([number, field]) => [
      `reserved ${number};`,
      `reserved "${snakeCase(field)}";`,
    ]),
    ...message.fields.flatMap((field) => [`// ${comments.field(message, field)}`, fieldText(field)]),
  ])

function fieldText(field: MessageField): string {
  const label = field.isRepeated ? 'repeated ' : hasMarkedPresence(field) ? 'optional ' : ''
  const options = field.isDeprecated ? ' [deprecated = true]' : ''
  return `${label}${typeText(field)} ${snakeCase(field.name)} = ${field.number}${options};`
}

function typeText({ shape }: MessageField): string {
  if (typeof shape === 'string') return typeTexts[shape]
  return shape.package ? `${shape.package}.${shape.name}` : shape.name
}

const typeTexts = {
  text: 'string',
  uuid: 'string',
  timestamp: 'google.protobuf.Timestamp',
  values: 'google.protobuf.Struct',
  number: 'double',
  integer: 'int32',
  boolean: 'bool',
} as const

const block = (comment: string, head: string, lines: readonly string[]): string =>
  `${comment}\n${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}`

/** The comments of the .proto file for messages and fields, and for each command by its request. */
export interface Comments {
  message(message: Message): string
  field(message: Message, field: MessageField): string
}

export function commentsOf(resources: readonly Resource[]): Comments {
  const subjects = new Map(allForms(resources).flatMap(subjectsOf))
  const find = (name: string): Subject => {
    const subject = subjects.get(name)
    if (!subject) throw new Error(`${name} belongs to no resource and has no comment.`)
    return subject
  }
  return {
    message: ({ name, about }) => about ?? (name === 'Pagination' ? aboutPagination : find(name).about),
    field({ name: message, about }, field) {
      if (field.about !== undefined) return field.about
      if (about !== undefined) return sharedComments[field.name] ?? ''
      if (message === 'Pagination')
        return (
          keyComments[field.name] ??
          `Only rows with this ${capitalize(field.name)}; refused where the resource has no such filter.`
        )
      const { resource, kind } = find(message)
      const declared = resource.fields[field.name]
      if (!declared)
        return (
          commentsByKind[kind]?.[field.name] ??
          sharedComments[field.name] ??
          `The ${resource.noun}; absent when success is false.`
        )
      return [describeField(declared), presenceOf(declared, kind)].filter(Boolean).join(' ')
    },
  }
}

type Kind = 'record' | 'page' | 'create' | 'update' | 'request' | 'result'

interface Subject {
  readonly resource: Resource
  readonly kind: Kind
  readonly about: string
}

function subjectsOf(resource: Resource): [name: string, Subject][] {
  const { typeName, pluralTypeName, noun, pluralNoun } = resource
  const command = (name: string, kind: Kind, about: string): [string, Subject][] => [
    [name, { resource, kind, about }],
    [`${name}Command`, { resource, kind, about }],
    [`${name}Result`, { resource, kind: 'result', about: `The answer to ${name}Command.` }],
  ]
  return [
    [typeName, { resource, kind: 'record', about: `One ${noun}, as it is stored.` }],
    [`${typeName}Page`, { resource, kind: 'page', about: `One page of a list of ${pluralNoun}.` }],
    ...command(`Create${typeName}`, 'create', `Creates one ${noun}.`),
    ...command(`Get${typeName}ById`, 'request', `Shows one ${noun}.`),
    ...command(`List${pluralTypeName}`, 'request', `Lists ${pluralNoun}, a page at a time.`),
    ...command(`Remove${typeName}`, 'request', `Removes ${pluralNoun}, all or none.`),
    ...command(`Update${typeName}`, 'update', `Changes one ${noun}.`),
  ]
}

const aboutPagination = 'Which rows a list is of, in which order, and which page of them.'

/** Comments for the keys of a list; all others are filters by a relation. */
const keyComments: Readonly<Record<string, string>> = {
  pageNumber: `The page, from 1 to ${pageNumberMax}; 1 when left out.`,
  pageSize: `Rows on a page, 1 to ${pageSizeMax}; ${pageSizeDefault} when left out.`,
  sortColumn: 'A field of the record, in any capitals; anything else sorts by id.',
  sortOrder: 'ASC or DESC, in any capitals; ASC when left out.',
  search: `Text that the name, description, login or text must contain, at most ${searchCharactersMax} characters; matched literally.`,
  ids: `Only rows with these ids: up to ${idsMax}, separated by commas.`,
  dateFrom: 'A date, or a date and time; without an offset it is UTC.',
  dateTo: 'Like date_from; the range does not include it.',
}

/** Comments for fields that several kinds of message have under the same name. */
const commentsByKind: Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>> = {
  record: { id: 'Its id, a UUID.' },
  create: { id: 'A UUID; left out, one is made.' },
}

const sharedComments: Readonly<Record<string, string>> = {
  id: 'Which one. Required.',
  ids: `Which ones: 1 to ${idsMax} UUIDs, duplicates ignored. Required.`,
  createdAt: 'When it was created.',
  updatedAt: 'When it was changed last; absent when it never was.',
  deletedAt: 'When it was removed; absent while it is active.',
  active: 'False if the record is removed.',
  success: 'False for a missing row and for a stale version. Every other refusal is an error of the call.',
  message: 'What happened, as a sentence.',
  result: 'The page; absent when success is false.',
  data: 'The rows of this page.',
  totalCount: 'Rows on all pages.',
  pageNumber: 'This page, counted from 1.',
  pageSize: 'Rows on a page.',
  totalPages: 'The number of pages.',
  pagination: 'Required; all of its fields may be left out.',
  updateMask:
    'The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change.',
}

function presenceOf(field: Field, kind: Kind): string {
  if (kind === 'record') return field.presence === 'optional' ? 'Absent if there is none.' : ''
  if (isRequired(field, kind === 'create' ? 'create' : 'update')) return 'Required.'
  return kind === 'create' ? absenceInCreate(field) : absenceInUpdate(field)
}

function absenceInCreate({ isCallerDefault, defaultValue }: Field): string {
  if (isCallerDefault) return 'Defaults to the caller.'
  return defaultValue === undefined ? 'Optional.' : `Defaults to ${defaultValue}.`
}

function absenceInUpdate({ presence, number }: Field): string {
  if (presence === 'requiredOnCreate') return 'If absent, it does not change.'
  if (presence === 'updateOnly') return 'If absent, the last write wins.'
  return number < neverClearedNumberMin
    ? 'If absent, it is cleared, unless update_mask is given and does not name it.'
    : 'If absent, it does not change, unless update_mask names it.'
}
