import type { Parameter, Schema } from '../../../http/operation.ts'
import { uuid } from '../../../model/field-kinds.ts'
import {
  cursorCharactersMax,
  expansionDepthMax,
  expansionsMax,
  fieldNamesMax,
  filterCharactersMax,
  pageSizeDefault,
  pageSizeMax,
  sortKeysMax,
} from '../../../operations/limits.ts'
import type { Listed, Resource } from '../../../resources/define-resource.ts'
import { expandable, queryColumns } from '../../../resources/query-columns.ts'
import { recordSchema, ref, resultSchema } from '../resource-schemas.ts'

const namesOf = (all: readonly { readonly name: string }[]): string => all.map(({ name }) => name).join(', ')

export function queryParameters(resource: Resource): Parameter[] {
  const columns = queryColumns(resource)
  const sortable = columns.filter(({ isSortable }) => isSortable)
  const references = expandable(resource)
  return [
    {
      name: 'filter',
      description: `What the rows must fulfil, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: ${namesOf(columns)}.`,
      schema: { type: 'string', maxLength: filterCharactersMax },
    },
    {
      name: 'sort',
      description: `Up to ${sortKeysMax} fields, separated by commas, each descending after a minus; equal rows come by their ids. Fields: ${namesOf(sortable)}.`,
      schema: { type: 'string', default: 'id' },
    },
    {
      name: 'fields',
      description: `Up to ${fieldNamesMax} names of what is shown, separated by commas; of what is expanded with its name and a dot before. The id is always shown, and without a choice everything is.`,
      schema: { type: 'string' },
    },
    ...(references.length === 0 ? [] : [expandKey(references)]),
    {
      name: 'pageSize',
      description: 'Rows in a page.',
      schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
    },
    {
      name: 'cursor',
      description: 'The nextCursor of the page before, with the same filter and sort.',
      schema: { type: 'string', maxLength: cursorCharactersMax },
    },
    {
      name: 'view',
      description:
        'The id of a saved view, or of a view of a project, whose filter, sort, fields and expand are taken where they are not given here.',
      schema: uuid.schema,
    },
    {
      name: 'count',
      description: 'Whether to count the rows of all pages.',
      schema: { type: 'boolean', default: false },
    },
    {
      name: 'at',
      description:
        'A date and time: the rows as they were then, all at one moment, for anyone who may see them now.',
      schema: { type: 'string' },
    },
  ]
}

const expandKey = (references: readonly { readonly name: string }[]): Parameter => ({
  name: 'expand',
  description: `Up to ${expansionsMax} references, separated by commas, whose rows are shown as well, and with dots theirs, ${expansionDepthMax} deep. Here: ${namesOf(references)}.`,
  schema: { type: 'string' },
})

/** A row with any choice of its fields: nothing but the id is promised. */
export function queryRowSchema(listed: Listed): Schema {
  const parents = expandable(listed).map(({ name, parent }) => [
    name,
    {
      anyOf: [ref(`${parent.title}QueryRow`), { type: 'null' }],
      description:
        'The row that is referred to, where it was expanded; null where the caller does not see it.',
      examples: [null],
    },
  ])
  const { properties } = recordSchema(listed)
  return {
    type: 'object',
    required: ['id'],
    properties: { ...(properties as object), ...Object.fromEntries(parents) },
  }
}

export const queryPageSchema = ({ title }: Resource): Schema =>
  resultSchema(
    'One page.',
    {
      data: { type: 'array', items: ref(`${title}QueryRow`), description: 'The rows of this page.' },
      nextCursor: {
        type: ['string', 'null'],
        description: 'Where the next page begins; null at the end.',
      },
      totalCount: { type: 'integer', description: 'Of all pages, where it was asked for.' },
    },
    ['data', 'nextCursor'],
  )
