import type { Parameter, Schema } from '../http/openapi.ts'
import { type BodyPurpose, capitalize, type Field, isInBody, isRequired } from '../model/field.ts'
import { timestamp as timestampKind, uuid } from '../model/field-kinds.ts'
import {
  idsMax,
  pageNumberMax,
  pageSizeDefault,
  pageSizeMax,
  searchCharactersMax,
} from '../records/list-query.ts'
import type { RowState } from '../records/visible-rows.ts'
import {
  dateKeys,
  idFiltersOf,
  type ListedResource,
  type Resource,
  supportsDates,
} from '../resources/define-resource.ts'
import { describeField, isVersioned, searchColumns } from '../resources/derived.ts'

/** A text that must not be empty. */
export const someText: Schema = { type: 'string', minLength: 1 }

/** Refers to a schema among the components of the document. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** Derives the schemas of a resource from its declaration. */
export function resourceSchemas(resource: Resource): Readonly<Record<string, Schema>> {
  const { title } = resource
  return {
    [title]: recordSchema(resource),
    ...(!resource.withoutCreate && { [`${title}Create`]: bodySchema(resource, 'create') }),
    [`${title}Update`]: bodySchema(resource, 'update'),
    [`${title}Page`]: pageSchema(title),
    [`${title}Answer`]: recordResultSchema(resource),
    [updateSchemaName(resource)]: updateResultSchema(resource),
  }
}

/** A timestamp of a record or a notification. The example shows its milliseconds. */
export const timestamp: Schema = { ...timestampKind.schema, examples: ['2026-01-05T09:00:00.125Z'] }

/** A timestamp without an example. */
export const dateTime = { type: 'string', format: 'date-time' } as const
export const nullableDateTime = { ...dateTime, type: ['string', 'null'] } as const

const nullable = (schema: Schema): Schema => ({
  ...schema,
  type: [schema.type, 'null'],
  // An enumeration allows only its own values, whatever the type is.
  ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
})

const commonSchemas: Readonly<Record<string, Schema>> = {
  id: { ...uuid.schema, description: 'Its id.' },
  createdAt: { ...timestamp, description: 'When it was created.' },
  updatedAt: { ...nullable(timestamp), description: 'When it was changed last; null when it never was.' },
  deletedAt: {
    ...nullable(timestamp),
    description: 'When it was removed; null while it is active.',
    examples: [null],
  },
  active: { type: 'boolean', description: 'False if the record is removed.' },
}

export function recordSchema({ columns, fields, about = '' }: ListedResource): Schema {
  const properties = columns.map((name) => {
    const field = fields[name]
    return [name, field ? fieldSchema(field) : commonSchemas[name]]
  })
  return {
    type: 'object',
    ...(about && { description: about }),
    required: columns,
    properties: Object.fromEntries(properties),
  }
}

const fieldSchema = (field: Field): Schema => ({
  ...(field.presence === 'optional' ? nullable(field.schema) : field.schema),
  // Blank text is rejected, whereas a blank secret leaves the stored one unchanged.
  ...(field.presence.startsWith('required') &&
    field.wire === 'text' &&
    !field.isSecret &&
    !field.schema.enum && { minLength: 1 }),
  ...(field.deprecation && { deprecated: true }),
  ...(field.example !== undefined && { examples: [field.example] }),
  description: describeField(field),
})

function bodySchema({ fields }: Resource, purpose: BodyPurpose): Schema {
  const entries = Object.entries(fields).filter(([, field]) => isInBody(field, purpose))
  const required = entries.filter(([, field]) => isRequired(field, purpose))
  return {
    type: 'object',
    required: [...(purpose === 'update' ? ['id'] : []), ...required.map(([name]) => name)],
    properties: {
      id:
        purpose === 'update'
          ? { ...uuid.schema, description: 'The id of the record.' }
          : {
              ...nullable(uuid.schema),
              description: 'An id of your own. If it is left out or null, one is generated.',
            },
      ...Object.fromEntries(entries.map(([name, field]) => [name, inputSchema(field, purpose)])),
    },
  }
}

const inputSchema = (field: Field, purpose: 'create' | 'update'): Schema =>
  purpose === 'create' && field.isCallerDefault
    ? {
        ...nullable(fieldSchema(field)),
        description: `${describeField(field)} If it is left out or null, it is the account that calls.`,
      }
    : fieldSchema(field)

export const pageSchema = (title: string): Schema =>
  resultSchema('One page of the list.', {
    data: { type: 'array', items: ref(title), description: 'The rows of this page.' },
    totalCount: { type: 'integer', description: 'Rows on all pages.' },
    pageNumber: { type: 'integer', description: 'This page, counted from 1.' },
    pageSize: { type: 'integer', description: 'Rows on a page.', examples: [pageSizeDefault] },
    totalPages: { type: 'integer', description: 'The number of pages.' },
  })

/** Returns the schema of a response with several rows in `result`. */
export const resultSchema = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  required: ['result'],
  properties: { result: { type: 'object', description, required, properties } },
})

export const idsBodyOf = (items: Schema, maxItems: number): Schema => ({
  type: 'object',
  required: ['ids'],
  properties: {
    ids: {
      type: 'array',
      items,
      minItems: 1,
      maxItems,
      description: 'The ids of the records: all are written, or none.',
    },
  },
})

const idsBody = idsBodyOf(uuid.schema, idsMax)

/** Removals ignore a repeated id; restores reject it. */
const distinctIdsBody: Schema = {
  ...idsBody,
  properties: { ids: { ...(idsBody.properties as { readonly ids: Schema }).ids, uniqueItems: true } },
}

const recordResultSchema = ({ name, title }: Resource): Schema => ({
  type: 'object',
  required: [name],
  properties: { [name]: ref(title) },
})

export const recordResponseSchema = ({ title }: Resource): Schema => ref(`${title}Answer`)

export const updateResponseSchema = (resource: Resource): Schema => ref(updateSchemaName(resource))

/**
 * The schema for v1 projects was released as `VersionedSuccess` before the responses of updates contained
 * records.
 */
const updateSchemaName = (resource: Resource): string =>
  isVersioned(resource) && resource.shownIn === 'v1' ? 'VersionedSuccess' : `${resource.title}Updated`

const updateResultSchema = (resource: Resource): Schema => ({
  type: 'object',
  required: ['success', ...(isVersioned(resource) ? ['message'] : []), resource.name],
  properties: {
    success: successSchema,
    ...(isVersioned(resource) && { message: messageSchema }),
    [resource.name]: ref(resource.title),
  },
})

const successSchema = { type: 'boolean', description: 'Always true: a refusal has another status.' }

const messageSchema = { type: ['string', 'null'], description: 'Always null.', examples: [null] }

export const idsSchemas: Readonly<Record<string, Schema>> = {
  IdList: idsBody,
  DistinctIdList: distinctIdsBody,
}

export const sharedSchemas: Readonly<Record<string, Schema>> = {
  Success: { type: 'object', required: ['success'], properties: { success: successSchema } },
}

export const errorSchema: Schema = {
  type: 'object',
  description: 'The one shape of every refusal.',
  required: ['statusCode', 'message'],
  properties: {
    statusCode: { type: 'integer', description: 'The status of the answer.', examples: [400] },
    message: {
      type: 'string',
      description: 'The error, as a sentence for users.',
      examples: ['One or more validation errors occurred.'],
    },
    errors: {
      type: 'object',
      description: 'Messages by property name; generalErrors holds those not tied to one.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      examples: [{ name: ['Name is required.'] }],
    },
  },
}

/** Returns the query parameters of a list, without filters that the resource does not support. */
export function listKeys(resource: ListedResource, state: RowState = 'active'): Parameter[] {
  return [
    ...pagingKeys,
    ...orderKeys(resource, state),
    ...searchKeys(resource),
    ...idFiltersOf(resource).map((name) => ({
      name,
      description: `Only rows with this ${capitalize(name)}.`,
      schema: uuid.schema,
    })),
    ...(supportsDates(resource) ? dateKeys.map(dateKey) : []),
  ]
}

export const pagingKeys: readonly Parameter[] = [
  {
    name: 'pageNumber',
    description: 'The page, counted from 1.',
    schema: { type: 'integer', minimum: 1, maximum: pageNumberMax, default: 1 },
  },
  {
    name: 'pageSize',
    description: 'Rows in a page.',
    schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
  },
]

const orderKeys = ({ columns, fixedSortColumn }: ListedResource, state: RowState): Parameter[] => [
  ...(fixedSortColumn
    ? []
    : [
        {
          name: 'sortColumn',
          description: `One of ${columns.join(', ')}, in any capitals; anything else sorts by id.`,
          // Not a named schema: generated Go code gives equal values of named enumerations the same name.
          schema: { type: 'string', enum: columns, default: state === 'active' ? 'id' : 'deletedAt' },
        },
      ]),
  state === 'active'
    ? {
        name: 'sortOrder',
        description: 'In any capitals.',
        schema: { type: 'string', enum: ['ASC', 'DESC'], default: 'ASC' },
      }
    : {
        name: 'sortOrder',
        description: 'In any capitals; by default DESC for deletedAt and ASC for other columns.',
        schema: { type: 'string', enum: ['ASC', 'DESC'] },
      },
]

const searchKeys = (resource: ListedResource): readonly Parameter[] => [
  {
    name: 'search',
    description: searchDescription(searchColumns(resource)),
    schema: { type: 'string', maxLength: searchCharactersMax },
  },
  { name: 'ids', description: `Up to ${idsMax} ids, separated by commas.`, schema: someText },
]

const searchDescription = (columns: readonly string[]): string =>
  columns.length === 0
    ? 'Accepted, and without effect: there is no text to search.'
    : `Text that the ${columns.join(' or the ')} must contain, matched literally.`

const dateKey = (name: string): Parameter => ({
  name,
  description: 'A date, or a date and time; without an offset it is UTC.',
  schema: someText,
})
