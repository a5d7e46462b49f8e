import {
  type BodyPurpose,
  commonFieldNumbers,
  type Field,
  isInBody,
  isRequired,
  updateMaskNumber,
  type WireKind,
} from '../../model/field.ts'
import { invalid } from '../../model/problem.ts'
import { resources } from '../../resources/all.ts'
import {
  dateNumbers,
  type Edition,
  idFilterNumbers,
  idFiltersOfAll,
  pagingNumbers,
  type Resource,
} from '../../resources/define-resource.ts'
import { filterNames, resourcesOf } from '../../resources/derived.ts'
import { type Content, isContent, type Message, type MessageField } from './message.ts'

export type Verb = 'create' | 'get' | 'list' | 'remove' | 'update'

export interface CommandMessages {
  /** The base name, such as CreateProject. The name of the request also has `Command`. */
  readonly name: string
  readonly request: Message
  readonly result: Message
}

/** One value for each command of a resource; `create` is absent if a separate route creates the rows. */
export type ByVerb<Value> = Readonly<Record<Exclude<Verb, 'create'>, Value> & { create?: Value }>

/** Derives the messages of a resource's commands from its declaration. */
export function commandMessagesOf(resource: Resource): ByVerb<CommandMessages> {
  const { typeName, pluralTypeName, name } = resource
  const record = recordOf(resource)
  const recordResult: MessageField = { name, number: 3, shape: record, isOptional: true }
  // The record was added to this result in a later release.
  const updateResult: MessageField = { ...recordResult, number: neverClearedNumberMin }
  const pageResult: MessageField = {
    name: 'result',
    number: 3,
    shape: pageOf(typeName, record),
    isOptional: true,
  }
  return {
    ...(!resource.withoutCreate && {
      create: messagesOf(
        `Create${typeName}`,
        bodyFields(resource, 'create'),
        [recordResult],
        resource.retired,
      ),
    }),
    get: messagesOf(`Get${typeName}ById`, [idField], [recordResult]),
    list: messagesOf(`List${pluralTypeName}`, [paginationOf(resource.shownIn)], [pageResult]),
    remove: messagesOf(`Remove${typeName}`, [idsField], []),
    update: messagesOf(
      `Update${typeName}`,
      [...bodyFields(resource, 'update'), ...maskOf(resource)],
      [updateResult],
      resource.retired,
    ),
  }
}

const messagesOf = (
  name: string,
  request: readonly MessageField[],
  result: readonly MessageField[],
  retired: Message['retired'] = {},
): CommandMessages => ({
  name,
  request: { name: `${name}Command`, fields: request, retired },
  result: { name: `${name}Result`, fields: [...outcomeFields, ...result] },
})

const idField: MessageField = {
  name: 'id',
  number: commonFieldNumbers.id,
  shape: 'uuid',
  isOptional: true,
  isNeverNullForDotnet: true,
}

const idsField: MessageField = { name: 'ids', number: 1, shape: 'uuid', isRepeated: true }

const fieldMask: Message = {
  name: 'FieldMask',
  package: 'google.protobuf',
  fields: [{ name: 'paths', number: 1, shape: 'text', isRepeated: true }],
}

/** Names the optional fields that an update sets; needed only if there are any. */
const maskOf = ({ fields }: Resource): MessageField[] =>
  Object.values(fields).some(({ presence }) => presence === 'optional')
    ? [{ name: 'updateMask', number: updateMaskNumber, shape: fieldMask, isOptional: true }]
    : []

export const outcomeFields: readonly MessageField[] = [
  { name: 'success', number: 1, shape: 'boolean' },
  { name: 'message', number: 2, shape: 'text', isOptional: true },
]

/** The query parameters of a REST list, in one message. */
function paginationOf(edition: Edition): MessageField {
  const idFilters = idFiltersOfAll(edition === 'v1' ? resourcesOf('v1') : resources)
  const idFilterEntries = Object.entries(idFilterNumbers).filter(([name]) => idFilters.includes(name))
  const keys = [...Object.entries(pagingNumbers), ...idFilterEntries, ...Object.entries(dateNumbers)]
  const fields = keys.map(([name, number]) => ({
    name,
    number,
    shape: shapeOf(name),
    isOptional: true as const,
  }))
  return {
    name: 'pagination',
    number: 1,
    shape: {
      name: 'Pagination',
      fields: sortByNumber(fields),
      rejectedNames: [...filterNames[edition]].filter((name) => !fields.some((field) => field.name === name)),
    },
    isOptional: true,
  }
}

const shapeOf = (key: string): WireKind => (/^page(Number|Size)$/.test(key) ? 'integer' : 'text')

const commonFields: readonly MessageField[] = [
  { name: 'createdAt', number: commonFieldNumbers.createdAt, shape: 'timestamp', isOptional: true },
  { name: 'updatedAt', number: commonFieldNumbers.updatedAt, shape: 'timestamp', isOptional: true },
  { name: 'deletedAt', number: commonFieldNumbers.deletedAt, shape: 'timestamp', isOptional: true },
  { name: 'active', number: commonFieldNumbers.active, shape: 'boolean' },
]

const recordOf = ({ typeName, fields, columns, retired }: Resource): Message => ({
  name: typeName,
  retired,
  fields: sortByNumber([
    { name: 'id', number: commonFieldNumbers.id, shape: 'uuid' },
    ...Object.entries(fields)
      .filter(([name]) => columns.includes(name))
      .map(([name, field]) => ({
        name,
        number: field.number,
        shape: field.wire,
        ...((field.presence === 'optional' || field.wire === 'timestamp') && { isOptional: true as const }),
        ...deprecationOf(field),
      })),
    ...commonFields,
  ]),
})

const pageOf = (typeName: string, record: Message): Message => ({
  name: `${typeName}Page`,
  fields: [
    { name: 'data', number: 1, shape: record, isRepeated: true },
    { name: 'totalCount', number: 2, shape: 'integer' },
    { name: 'pageNumber', number: 3, shape: 'integer' },
    { name: 'pageSize', number: 4, shape: 'integer' },
    { name: 'totalPages', number: 5, shape: 'integer', isOmittedForDotnet: true },
  ],
})

/** All fields of a body are optional on the wire, so that all missing fields are reported together. */
const bodyFields = ({ fields }: Resource, purpose: BodyPurpose): MessageField[] =>
  sortByNumber([
    idField,
    ...Object.entries(fields)
      .filter(([, field]) => isInBody(field, purpose))
      .map(([name, field]) => ({
        name,
        number: field.number,
        shape: field.wire,
        isOptional: true as const,
        // Other fields must be nullable in .NET: null leaves them unchanged, a zero would be a new value.
        ...(isRequired(field, purpose) && { isNeverNullForDotnet: true as const }),
        ...deprecationOf(field),
      })),
  ])

const deprecationOf = ({ deprecation }: Field) => deprecation && ({ isDeprecated: true } as const)

const sortByNumber = (fields: readonly MessageField[]): MessageField[] =>
  fields.toSorted((first, second) => first.number - second.number)

/**
 * Fields of later releases have this number or a higher one. An update without them leaves them unchanged,
 * because it may come from a client that does not know them.
 */
export const neverClearedNumberMin = 16

/**
 * Converts an update to the body of REST. A message cannot distinguish null from absent. Without a mask, an
 * absent optional field is cleared. With a mask, it is cleared if the mask names it, and optional fields that
 * the mask does not name are unchanged.
 */
export function parseUpdate(resource: Resource, { updateMask, ...request }: Content): Content {
  const optional = Object.entries(resource.fields).filter(([, { presence }]) => presence === 'optional')
  if (updateMask === undefined || updateMask === null) {
    const clearable = optional.filter(([, { number }]) => number < neverClearedNumberMin)
    return { ...Object.fromEntries(clearable.map(([name]) => [name, null])), ...request }
  }
  const namesInMask = parsePaths(resource, updateMask)
  const body: Record<string, unknown> = { ...request }
  for (const [name] of optional) {
    if (!namesInMask.has(name)) delete body[name]
    else body[name] ??= null
  }
  return body
}

function parsePaths({ fields, title }: Resource, mask: unknown): ReadonlySet<string> {
  const paths: unknown = isContent(mask) ? (mask.paths ?? []) : undefined
  const names = Array.isArray(paths) ? paths.map(camelCase) : [undefined]
  if (names.some((name) => name === undefined || !Object.hasOwn(fields, name))) {
    throw invalid({ updateMask: [`UpdateMask must name fields of ${title}.`] })
  }
  return new Set(names as string[])
}

/** Paths are spelled as in the .proto file, or like the names in JSON and of the .NET clients. */
const camelCase = (path: unknown): string | undefined =>
  typeof path === 'string'
    ? path
        .replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
        .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    : undefined
