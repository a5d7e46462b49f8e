import { wantsEventStream } from '../http/event-stream.ts'
import type { Parameter, Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { invalid } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { requireSettled } from '../records/get.ts'
import { pageSizeDefault, pageSizeMax } from '../records/list-query.ts'
import { expansionDepthMax, expansionsMax, fieldNamesMax, type Selection } from '../records/query/joins.ts'
import { type Filter, filterCharactersMax, type Value } from '../records/query/parse-filter.ts'
import {
  cursorCharactersMax,
  mergeSavedView,
  parseQuery,
  type Query,
  sortKeysMax,
} from '../records/query/parse-query.ts'
import { partsOf, type QueryPage, resourcesAffectingSelection, runQuery } from '../records/query/run-query.ts'
import { requireAccess } from '../records/rights.ts'
import { visibilityKeyOf } from '../records/visible-rows.ts'
import type { ListedResource, Resource } from '../resources/define-resource.ts'
import { expandable, queryColumns } from '../resources/derived.ts'
import { describeReadAccess } from '../routes/describe-operations.ts'
import type { Route } from '../routes/route.ts'
import { recordSchema, ref, resultSchema, someText } from '../routes/schemas.ts'
import type { ListingView } from './changes/listing.ts'
import { scopeOf } from './changes/listing-scope.ts'
import type { LiveListings } from './changes/live-listings.ts'

/**
 * Serves queries of a resource, with filters, several sort keys, chosen fields, referenced rows and cursors.
 */
export const queryRoute = (context: Context, live: LiveListings, resource: Resource): Route => ({
  id: `Query${resource.pluralTitle}`,
  tag: 'Queries',
  summary: `Queries ${resource.pluralNoun} with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing.`,
  description: `${describeReadAccess(resource)} A query can also return the rows that ${resource.pluralNoun} refer to, and read them as of an instant. Its pages are connected by cursors. The grammar of filters is in docs/reading.md; errors name each rejected part.`,
  method: 'GET',
  path: `/ext/query/${resource.plural}`,
  parameters: queryParameters(resource),
  response: ref(`${resource.title}QueryPage`),
  errors: [400, 403, 410, 503],
  isConditional: true,
  isLive: true,
  async handle({ caller, session, request, reply }) {
    // Checked before the query is parsed, so that callers without access get no other error.
    requireAccess(resource, caller, 'read')
    const queryValues = request.query as Readonly<Record<string, unknown>>
    const { keys, savedViewResources } = await mergeSavedView(context, resource, caller, queryValues)
    const query = parseQuery(resource, caller, keys)
    if (wantsEventStream(request) && query.at !== undefined)
      throw invalid({ at: ['At cannot be combined with a live listing: the past does not change.'] })
    if (wantsEventStream(request))
      return live.open(queryListingView(resource, caller, query), { session, request, reply })
    if (query.at !== undefined) await requireSettled(context.database, query.at)
    const reads = context.database.standbyListReads
    const page = await runQuery(resource, caller, query, reads, savedViewResources)
    return { body: serializeQueryPage(page), lastChangeSecond: page.lastChangeSecond }
  },
})

/** Callers share a listing if they send the same query and see the same rows of every resource in it. */
const queryListingView = (resource: ListedResource, caller: Caller, query: Query): ListingView => ({
  key: JSON.stringify([
    'query',
    query.cursorScope,
    query.rawKeys,
    ...visibilityKeysOf(query.selection, caller),
  ]),
  caller,
  resources: resourcesAffectingSelection(query.selection, caller),
  // Changes of expanded rows also change the page, but a scope covers only one resource.
  scope:
    query.selection.expansions.length > 0
      ? undefined
      : scopeOf(resource, caller, allowedIdsByColumn(query.filter)),
  read: async (reads) => JSON.stringify(serializeQueryPage(await runQuery(resource, caller, query, reads))),
})

const visibilityKeysOf = ({ resource, expansions }: Selection, caller: Caller): readonly string[] => [
  visibilityKeyOf(resource, caller),
  ...expansions.flatMap(({ selection }) => visibilityKeysOf(selection, caller)),
]

const serializeQueryPage = ({ rows, nextCursor, totalCount }: QueryPage) => ({
  result: { data: rows, nextCursor, ...(totalCount !== undefined && { totalCount }) },
})

const namesOf = (columns: readonly { readonly name: string }[]): string =>
  columns.map(({ name }) => name).join(', ')

function queryParameters(resource: Resource): Parameter[] {
  const columns = queryColumns(resource)
  const sortable = columns.filter(({ isSortable }) => isSortable)
  const references = expandable(resource)
  return [
    {
      name: 'filter',
      description: `The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: ${namesOf(columns)}.`,
      schema: { ...someText, maxLength: filterCharactersMax },
    },
    {
      name: 'sort',
      description: `Up to ${sortKeysMax} fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: ${namesOf(sortable)}.`,
      schema: { ...someText, default: 'id' },
    },
    {
      name: 'fields',
      description: `Up to ${fieldNamesMax} names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are.`,
      schema: someText,
    },
    ...(references.length === 0 ? [] : [expandParameter(references)]),
    {
      name: 'pageSize',
      description: 'Rows in a page.',
      schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
    },
    {
      name: 'cursor',
      description: 'The nextCursor of the previous page, with the same filter and sort.',
      schema: { ...someText, maxLength: cursorCharactersMax },
    },
    {
      name: 'view',
      description:
        'The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here.',
      schema: uuid.schema,
    },
    {
      name: 'count',
      description: 'Whether to count the rows of all pages.',
      schema: { type: 'boolean', default: false },
    },
    {
      name: 'at',
      description: 'A date and time: returns the rows as of that instant, for callers who may see them now.',
      schema: someText,
    },
  ]
}

const expandParameter = (references: readonly { readonly name: string }[]): Parameter => ({
  name: 'expand',
  description: `Up to ${expansionsMax} references, separated by commas, whose rows are returned as well; dots expand nested references, up to ${expansionDepthMax} deep. Available: ${namesOf(references)}.`,
  schema: someText,
})

/** A row with any selection of its fields: only the id is always present. */
export function queryRowSchema(resource: ListedResource): Schema {
  const parents = expandable(resource).map(({ name, parent }) => [
    name,
    {
      anyOf: [ref(`${parent.title}QueryRow`), { type: 'null' }],
      description: 'The referenced row, if expanded; null if the caller cannot see it.',
      examples: [null],
    },
  ])
  const { properties } = recordSchema(resource)
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
        description: 'The cursor of the next page; null at the end.',
      },
      totalCount: { type: 'integer', description: 'The number of rows of all pages, if requested.' },
    },
    ['data', 'nextCursor'],
  )

/** Returns the only ids that matching rows can have, for each column that the filter restricts to ids. */
const allowedIdsByColumn = (filter: Filter | undefined): Readonly<Record<string, readonly Value[]>> =>
  Object.fromEntries(
    partsOf(filter).flatMap((part) =>
      'column' in part && part.shape === 'uuid' && (part.operator === 'eq' || part.operator === 'in')
        ? [[part.column, part.values]]
        : [],
    ),
  )
