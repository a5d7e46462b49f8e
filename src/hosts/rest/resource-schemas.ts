import type { RowState } from '../../access/visible-rows.ts'
import type { Parameter, Schema } from '../../http/operation.ts'
import { type Field, labelOf } from '../../model/field.ts'
import { uuid } from '../../model/field-kinds.ts'
import {
  idsMax,
  pageNumberMax,
  pageSizeDefault,
  pageSizeMax,
  searchCharactersMax,
} from '../../operations/limits.ts'
import type { Listed, Resource } from '../../resources/define-resource.ts'
import { isVersioned, searchColumns } from '../../resources/derived.ts'
import { describeField } from '../../resources/describe-field.ts'
import { dateKeys, relationsOf, supportsDates } from '../../resources/list-keys.ts'

/** What the document says of the resources, all of it read off their declarations. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export function resourceSchemas(resource: Resource): Readonly<Record<string, Schema>> {
  const { title } = resource
  return {
    [title]: recordSchema(resource),
    [`${title}Create`]: bodySchema(resource, 'create'),
    [`${title}Update`]: bodySchema(resource, 'update'),
    [`${title}Page`]: pageSchema(title),
  }
}

const moment = { type: 'string', format: 'date-time' }
const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] })

const commonSchemas: Readonly<Record<string, Schema>> = {
  id: uuid.schema,
  createdAt: moment,
  updatedAt: nullable(moment),
  deletedAt: nullable(moment),
  active: { type: 'boolean' },
}

export function recordSchema({ columns, fields }: Listed): Schema {
  const properties = columns.map((name) => {
    const field = fields[name]
    return [name, field ? fieldSchema(field) : commonSchemas[name]]
  })
  return { type: 'object', required: columns, properties: Object.fromEntries(properties) }
}

const fieldSchema = (field: Field): Schema => ({
  ...(field.presence === 'optional' ? nullable(field.schema) : field.schema),
  ...(field.deprecation && { deprecated: true, description: describeField(field) }),
})

function bodySchema({ fields }: Resource, purpose: 'create' | 'update'): Schema {
  const entries = Object.entries(fields).filter(
    ([, field]) => purpose === 'update' || field.presence !== 'updateOnly',
  )
  const required = entries.filter(
    ([, { presence }]) =>
      presence === 'required' || (presence === 'requiredOnCreate' && purpose === 'create'),
  )
  return {
    type: 'object',
    required: [...(purpose === 'update' ? ['id'] : []), ...required.map(([name]) => name)],
    properties: {
      id: purpose === 'update' ? uuid.schema : nullable(uuid.schema),
      ...Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    },
  }
}

export const pageSchema = (title: string): Schema => ({
  type: 'object',
  required: ['result'],
  properties: {
    result: {
      type: 'object',
      required: ['data', 'totalCount', 'pageNumber', 'pageSize', 'totalPages'],
      properties: {
        data: { type: 'array', items: ref(title) },
        totalCount: { type: 'integer' },
        pageNumber: { type: 'integer' },
        pageSize: { type: 'integer' },
        totalPages: { type: 'integer' },
      },
    },
  },
})

export const idsBody: Schema = {
  type: 'object',
  required: ['ids'],
  properties: { ids: { type: 'array', items: uuid.schema, minItems: 1, maxItems: idsMax } },
}

export const recordAnswer = ({ name, title }: Resource): Schema => ({
  type: 'object',
  required: [name],
  properties: { [name]: ref(title) },
})

export const successAnswer = (resource: Resource): Schema =>
  ref(isVersioned(resource) ? 'VersionedSuccess' : 'Success')

export const sharedSchemas: Readonly<Record<string, Schema>> = {
  Success: { type: 'object', required: ['success'], properties: { success: { type: 'boolean' } } },
  VersionedSuccess: {
    type: 'object',
    required: ['success', 'message'],
    properties: { success: { type: 'boolean' }, message: { type: ['string', 'null'] } },
  },
  Error: {
    type: 'object',
    required: ['statusCode', 'message'],
    properties: {
      statusCode: { type: 'integer' },
      message: { type: 'string' },
      errors: {
        type: 'object',
        description: 'Messages by property name; generalErrors holds those not tied to one.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    },
  },
}

/** The keys of a list; a filter that the resource does not support is not among them. */
export function listKeys(listed: Listed, state: RowState = 'active'): Parameter[] {
  return [
    ...pagingKeys,
    ...orderKeys(listed, state),
    ...searchKeys(listed),
    ...relationsOf(listed).map((name) => ({
      name,
      description: `Only rows with this ${labelOf(name)}.`,
      schema: uuid.schema,
    })),
    ...(supportsDates(listed) ? dateKeys.map(dateKey) : []),
  ]
}

const pagingKeys: readonly Parameter[] = [
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

const orderKeys = ({ columns, sortedBy }: Listed, state: RowState): Parameter[] => [
  ...(sortedBy
    ? []
    : [
        {
          name: 'sortColumn',
          description: `One of ${columns.join(', ')}, in any capitals; anything else sorts by id.`,
          schema: { type: 'string', default: state === 'active' ? 'id' : 'deletedAt' },
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

const searchKeys = (listed: Listed): readonly Parameter[] => [
  {
    name: 'search',
    description: searchDescription(searchColumns(listed)),
    schema: { type: 'string', maxLength: searchCharactersMax },
  },
  { name: 'ids', description: `Up to ${idsMax} ids, separated by commas.`, schema: { type: 'string' } },
]

const searchDescription = (columns: readonly string[]): string =>
  columns.length === 0
    ? 'Accepted, and without effect: there is no text to search.'
    : `Text that the ${columns.join(' or the ')} must contain, matched literally.`

const dateKey = (name: string): Parameter => ({
  name,
  description: 'A date, or a date and time; without an offset it is UTC.',
  schema: { type: 'string' },
})
