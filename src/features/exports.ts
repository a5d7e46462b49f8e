import { Readable } from 'node:stream'
import type { Row } from '../db/rows.ts'
import type { CutReason } from '../db/streamed-reads.ts'
import { csvHeader, csvLine } from '../http/csv.ts'
import { invalid, unauthenticated } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { streamList, timeoutAdvice } from '../records/list.ts'
import { parseListQuery, requiredAccess } from '../records/list-query.ts'
import { explainTimeout } from '../records/read-guards.ts'
import { requireRole } from '../records/rights.ts'
import { serializeRecord } from '../records/serialize-record.ts'
import type { RowState } from '../records/visible-rows.ts'
import { resources } from '../resources/all.ts'
import type { ListedResource } from '../resources/define-resource.ts'
import { person } from '../resources/user.ts'
import { describeReadAccess } from '../routes/describe-operations.ts'
import type { Exchange, Route } from '../routes/route.ts'
import { listKeys } from '../routes/schemas.ts'
import { rejectAtKey } from './changes/list-routes.ts'

/** Returns a whole list in one response, however long. */
export const exportRoutes = (context: Context): Route[] => [
  ...[person, ...resources].map((listed) => exportRoute(context, listed, 'active')),
  ...resources.map((listed) => exportRoute(context, listed, 'removed')),
]

const exportRoute = (context: Context, listed: ListedResource, state: RowState): Route => ({
  id: state === 'active' ? `Export${listed.pluralTitle}` : `ExportRemoved${listed.pluralTitle}`,
  tag: 'Exports',
  summary: `Returns all rows of the list of ${state === 'active' ? '' : 'removed '}${listed.pluralNoun}, as of one instant, as CSV or as lines of JSON.`,
  description: `${readableBy(listed, state)} Filters and order are those of the list. The response is streamed from the database; one that breaks off is incomplete.`,
  method: 'GET',
  path: state === 'active' ? `/ext/export/${listed.plural}` : `/ext/export/removed/${listed.plural}`,
  parameters: [
    formatKey,
    ...listKeys(listed, state).filter(({ name }) => name !== 'pageNumber' && name !== 'pageSize'),
  ],
  response: { type: 'string' },
  responseTypes: Object.values(formats).map(({ type }) => type),
  errors: [400, 403, 503],
  async handle(exchange) {
    const { caller, request, reply } = exchange
    rejectAtKey(request)
    const queryValues = request.query as Readonly<Record<string, unknown>>
    const format = parseFormat(queryValues.format)
    requireRole(listed, caller, requiredAccess(state))
    const query = parseListQuery(listed, queryValues, state)
    const rows = streamList(context, listed, caller, query, {
      format: formats[format].formatterOf(listed),
      ...watchConnection(exchange, listed),
    })
    // The first read reports errors before the response begins.
    const first = await explainTimeout(timeoutAdvice(listed, query), () => rows.next())
    const { type, extension } = formats[format]
    reply.headers({
      'content-type': `${type}; charset=utf-8${format === 'csv' ? '; header=present' : ''}`,
      'content-disposition': `attachment; filename="${listed.plural}.${extension}"`,
      'cache-control': 'private, no-store',
    })
    reply.send(Readable.from(streamBody(formats[format].headOf(listed), first, rows, exchange)))
    return undefined
  },
})

const readableBy = (listed: ListedResource, state: RowState): string =>
  state === 'active' ? describeReadAccess(listed) : 'Only rows that the caller may restore.'

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
    formatterOf: (listed: ListedResource) => (rows: Row[]) =>
      rows.map((row) => `${JSON.stringify(serializeRecord(listed, row))}\n`).join(''),
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
function watchConnection({ request, reply }: Exchange, listed: ListedResource) {
  const disconnected = new AbortController()
  reply.raw.once('close', () => disconnected.abort())
  return {
    signal: disconnected.signal,
    onCut(because: CutReason) {
      request.log.info({ because, list: listed.plural }, 'An export was broken off.')
      // Drops unsent bytes, which the system would otherwise keep for a client that reads none.
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
