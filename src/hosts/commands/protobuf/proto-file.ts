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
import { allForms, describeField, searchableNames, searchColumns } from '../../../resources/derived.ts'
import { type Command, isStream } from '../commands.ts'
import { type Message, type MessageField, packages } from '../message.ts'
import { neverClearedNumberMin } from '../resource-messages.ts'
import { hasMarkedPresence, importsOf, messagesIn, snakeCase } from './descriptors.ts'

/** Returns the .proto file of an edition, from which clients in other languages are generated. */
export function protoFile(
  edition: Edition,
  commands: readonly Command[],
  declared: readonly Resource[] = resources,
): string {
  const comments = commentsOf(declared)
  return `${[
    '// Generated from the declarations of the resources. Version 1 changes by additions only.',
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
    '// The commands of all resources. Each needs a bearer token with the scope svc.grpc in its authorization metadata.',
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
  const options = field.isDeprecated ? ' [deprecated = true]' : ''
  return `${labelOf(field)}${typeText(field)} ${snakeCase(field.name)} = ${field.number}${options};`
}

function labelOf(field: MessageField): string {
  if (field.isRepeated) return 'repeated '
  return hasMarkedPresence(field) ? 'optional ' : ''
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
  /** `listedResource` is the resource if a client has a separate Pagination for each resource. */
  field(message: Message, field: MessageField, listedResource?: Resource): string
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
    field({ name: message, about }, field, listedResource) {
      if (field.about !== undefined) return field.about
      if (about !== undefined) return sharedComments[field.name] ?? ''
      if (message === 'Pagination') return commentOfKey(field.name, listedResource)
      const { resource, kind } = find(message)
      const declaredField = resource.fields[field.name]
      if (!declaredField)
        return (
          commentsByKind[kind]?.[field.name] ??
          sharedComments[field.name] ??
          `The ${resource.noun}; absent when success is false.`
        )
      return [describeField(declaredField), presenceOf(declaredField, kind)].filter(Boolean).join(' ')
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
  const extended = extensionFieldsOf(resource)
  const command = (name: string, kind: Kind, about: string): [string, Subject][] => [
    [name, { resource, kind, about }],
    [`${name}Command`, { resource, kind, about }],
    [`${name}Result`, { resource, kind: 'result', about: `The answer to ${name}Command.` }],
  ]
  return [
    [typeName, { resource, kind: 'record', about: `One ${noun}, as it is stored${extended}.` }],
    [`${typeName}Page`, { resource, kind: 'page', about: `One page of a list of ${pluralNoun}${extended}.` }],
    ...command(`Create${typeName}`, 'create', `Creates one ${noun}${extended}.`),
    ...command(`Get${typeName}ById`, 'request', `Shows one ${noun}${extended}.`),
    ...command(`List${pluralTypeName}`, 'request', `Lists ${pluralNoun}${extended}, a page at a time.`),
    ...command(`Remove${typeName}`, 'request', `Removes ${pluralNoun}, all or none.`),
    ...command(`Update${typeName}`, 'update', `Changes one ${noun}${extended}.`),
  ]
}

/** Distinguishes the two forms of a v1 resource that has fields of extensions. */
function extensionFieldsOf({ edition, shownIn, fields }: Resource): string {
  if (edition !== 'v1' || shownIn !== 'ext') return ''
  const names = Object.keys(fields).filter((name) => fields[name]?.isExtension)
  return `, with the fields of the extensions (${names.map(snakeCase).join(', ')})`
}

const aboutPagination = 'Selects, sorts and pages the rows of a list.'

function commentOfKey(name: string, listedResource: Resource | undefined): string {
  if (name === 'search') return aboutSearch(listedResource)
  const filter = `Only rows with this ${capitalize(name)}`
  return (
    keyComments[name] ??
    (listedResource ? `${filter}.` : `${filter}; rejected if the resource has no such filter.`)
  )
}

function aboutSearch(listedResource: Resource | undefined): string {
  const searched = listedResource ? searchColumns(listedResource) : searchableNames
  return searched.length === 0
    ? 'No effect, because the rows have no text.'
    : `Only rows whose ${inWords(searched)} contains this text, in upper or lower case; at most ${searchCharactersMax} characters. Matched literally.`
}

const inWords = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')

/** Comments for the query parameters of a list. All others are filters by a relation. */
const keyComments: Readonly<Record<string, string>> = {
  pageNumber: `The page, from 1 to ${pageNumberMax}; 1 by default.`,
  pageSize: `Rows on a page, 1 to ${pageSizeMax}; ${pageSizeDefault} by default.`,
  sortColumn: 'A field of the record, in upper or lower case; anything else sorts by id.',
  sortOrder: 'ASC or DESC, in upper or lower case; ASC by default.',
  ids: `Only rows with these ids: up to ${idsMax}, separated by commas.`,
  dateFrom: 'A date, or a date and time; without an offset it is UTC.',
  dateTo: 'Like date_from; the range does not include it.',
}

/** Comments for fields whose meaning depends on the kind of the message. */
const commentsByKind: Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>> = {
  record: { id: 'Its id, a UUID.' },
  create: { id: 'A UUID; generated if absent.' },
}

const sharedComments: Readonly<Record<string, string>> = {
  id: 'The id of the row. Required.',
  ids: `The ids of the rows: 1 to ${idsMax} UUIDs; duplicates are ignored. Required.`,
  createdAt: 'The time of its creation.',
  updatedAt: 'The time of its last change; absent if it was never changed.',
  deletedAt: 'The time of its removal; absent while it is active.',
  active: 'False if the record is removed.',
  success:
    'False for a missing row and for a stale version. Every other error ends the call with a gRPC status.',
  message: 'The outcome, as a sentence.',
  result: 'The page; absent when success is false.',
  data: 'The rows of this page.',
  totalCount: 'Rows on all pages.',
  pageNumber: 'This page, counted from 1.',
  pageSize: 'Rows on a page.',
  totalPages: 'The number of pages.',
  pagination: 'Required; all of its fields are optional.',
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
    ? 'If absent, it is cleared; with an update_mask, only if the mask names it.'
    : 'If absent, it does not change; if update_mask names it, it is cleared.'
}
