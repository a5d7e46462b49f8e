import { Readable } from 'node:stream'
import type { Row } from '../db/rows.ts'
import type { CutReason } from '../db/streamed-reads.ts'
import { csvHeader, csvLine } from '../http/csv.ts'
import { invalid, unauthenticated } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { explainTimeout } from '../records/get.ts'
import { streamList, timeoutAdvice } from '../records/list.ts'
import { parseListQuery, purposeOf } from '../records/list-query.ts'
import { serializeRecord } from '../records/record-json.ts'
import { requireAccess } from '../records/rights.ts'
import type { RowState } from '../records/visible-rows.ts'
import { resources } from '../resources/all.ts'
import type { ListedResource } from '../resources/define-resource.ts'
import { person } from '../resources/user.ts'
import { describeReadAccess } from '../routes/describe-operations.ts'
import type { Exchange, Route } from '../routes/route.ts'
import { listKeys } from '../routes/schemas.ts'
import { rejectAtKey } from './changes/routes.ts'

/** Returns a whole list in one response, however long. */
export const exportRoutes = (context: Context): Route[] => [
  ...[person, ...resources].map((resource) => exportRoute(context, resource, 'active')),
  ...resources.map((resource) => exportRoute(context, resource, 'removed')),
]

const exportRoute = (context: Context, resource: ListedResource, state: RowState): Route => ({
  id: state === 'active' ? `Export${resource.pluralTitle}` : `ExportRemoved${resource.pluralTitle}`,
  tag: 'Exports',
  summary: `Returns all rows of the list of ${state === 'active' ? '' : 'removed '}${resource.pluralNoun}, as of one instant, as CSV or as lines of JSON.`,
  description: `${readableBy(resource, state)} Filters and order are those of the list. The response is streamed from the database; one that breaks off is incomplete.`,
  method: 'GET',
  path: state === 'active' ? `/ext/export/${resource.plural}` : `/ext/export/removed/${resource.plural}`,
  parameters: [
    formatKey,
    ...listKeys(resource, state).filter(({ name }) => name !== 'pageNumber' && name !== 'pageSize'),
  ],
  response: { type: 'string' },
  responseTypes: Object.values(formats).map(({ type }) => type),
  errors: [400, 403, 503],
  async handle(exchange) {
    const { caller, request, reply } = exchange
    rejectAtKey(request)
    const queryValues = request.query as Readonly<Record<string, unknown>>
    const format = parseFormat(queryValues.format)
    requireAccess(resource, caller, purposeOf(state))
    const query = parseListQuery(resource, queryValues, state)
    const rows = streamList(context, resource, caller, query, {
      format: formats[format].formatterOf(resource),
      ...watchConnection(exchange, resource),
    })
    // The first read reports errors before the response begins.
    const first = await explainTimeout(timeoutAdvice(resource, query), () => rows.next())
    const { type, extension } = formats[format]
    reply.headers({
      'content-type': `${type}; charset=utf-8${format === 'csv' ? '; header=present' : ''}`,
      'content-disposition': `attachment; filename="${resource.plural}.${extension}"`,
      'cache-control': 'private, no-store',
    })
    reply.send(Readable.from(streamBody(formats[format].headOf(resource), first, rows, exchange)))
    return undefined
  },
})

const readableBy = (resource: ListedResource, state: RowState): string =>
  state === 'active' ? describeReadAccess(resource) : 'Only rows that the caller may restore.'

const formats = {
  csv: {
    type: 'text/csv',
    extension: 'csv',
    headOf: ({ columns }: ListedResource) => csvHeader(columns),
    formatterOf:
      ({ columns }: ListedResource) =>
      (rows: Row[]) =>
        rows.map((row) => csvLine(columns.map((name) => row[name]))).join(''),
  },
  jsonl: {
    type: 'application/x-ndjson',
    extension: 'jsonl',
    headOf: () => '',
    formatterOf: (resource: ListedResource) => (rows: Row[]) =>
      rows.map((row) => `${JSON.stringify(serializeRecord(resource, row))}\n`).join(''),
  },
} as const

type Format = keyof typeof formats

const formatKey = {
  name: 'format',
  description:
    'csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line.',
  schema: { type: 'string', enum: Object.keys(formats), default: 'csv' },
}

function parseFormat(input: unknown): Format {
  if (input === undefined) return 'csv'
  if (typeof input === 'string' && Object.hasOwn(formats, input)) return input as Format
  throw invalid({ format: [`Format must be ${Object.keys(formats).join(' or ')}.`] })
}

/**
 * Aborts the export if the client disconnects. An error resets the connection before the last chunk, so that
 * no client takes the response for complete.
 */
function watchConnection({ request, reply }: Exchange, resource: ListedResource) {
  const disconnected = new AbortController()
  reply.raw.once('close', () => disconnected.abort())
  return {
    signal: disconnected.signal,
    onCut(because: CutReason) {
      request.log.info({ because, list: resource.plural }, 'An export was broken off.')
      // Drops unsent bytes. The system would keep them for a client that does not read.
      if (reply.raw.headersSent) reply.raw.socket?.resetAndDestroy()
    },
  }
}

async function* streamBody(
  head: string,
  first: IteratorResult<Buffer, void>,
  rows: AsyncGenerator<Buffer, void>,
  { session }: Exchange,
): AsyncGenerator<Buffer, void> {
  if (head !== '') yield Buffer.from(head)
  for (let slice = first; !slice.done; slice = await rows.next()) {
    yield slice.value
    // A response that takes minutes must not outlast the session.
    if (!(await session.recheck())) throw unauthenticated()
  }
}
