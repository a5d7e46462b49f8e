import { Readable } from 'node:stream'
import { requireRole } from '../../../access/require-write.ts'
import type { RowState } from '../../../access/visible-rows.ts'
import { csvLine } from '../../../http/csv.ts'
import { invalid, unauthenticated } from '../../../model/problem.ts'
import { slowness, streamList } from '../../../operations/list.ts'
import { purposeOf, readListQuery } from '../../../operations/read-list-query.ts'
import { refuseTooSlow } from '../../../operations/refuse-too-slow.ts'
import { showRecord } from '../../../operations/show-record.ts'
import type { Tracker } from '../../../operations/tracker.ts'
import { resources } from '../../../resources/all.ts'
import type { Listed } from '../../../resources/define-resource.ts'
import { person } from '../../../resources/person.ts'
import type { Row } from '../../../store/rows.ts'
import { refuseMoment } from '../answer-list.ts'
import { mayRead } from '../describe-operations.ts'
import { listKeys } from '../resource-schemas.ts'
import type { Exchange, Route } from '../route.ts'

/** Every list in one answer, however long. */
export const exportRoutes = (tracker: Tracker): Route[] => [
  ...[person, ...resources].map((listed) => exportRoute(tracker, listed, 'active')),
  ...resources.map((listed) => exportRoute(tracker, listed, 'removed')),
]

const exportRoute = (tracker: Tracker, listed: Listed, state: RowState): Route => ({
  id: state === 'active' ? `Export${listed.pluralTitle}` : `ExportRemoved${listed.pluralTitle}`,
  tag: 'Exports',
  summary: `Answers all rows of the list of ${state === 'active' ? '' : 'removed '}${listed.pluralNoun}, as they are at one moment, as CSV or as lines of JSON.`,
  description: `${mayReadOf(listed, state)} Filters and order are those of the list. The answer is read from the store while it is taken; one that breaks off is not complete.`,
  method: 'GET',
  path: state === 'active' ? `/ext/export/${listed.plural}` : `/ext/export/removed/${listed.plural}`,
  parameters: [
    formatKey,
    ...listKeys(listed, state).filter(({ name }) => name !== 'pageNumber' && name !== 'pageSize'),
  ],
  answer: { type: 'string' },
  answerTypes: Object.values(formats).map(({ type }) => type),
  refusals: [400, 403, 503],
  async handle(exchange) {
    const { caller, request, reply } = exchange
    refuseMoment(request)
    const given = request.query as Readonly<Record<string, unknown>>
    const format = readFormat(given.format)
    requireRole(listed, caller, purposeOf(state))
    const query = readListQuery(listed, given, state)
    const parts = streamList(tracker, listed, caller, query)
    // Wherever it stands then, also before it has begun.
    reply.raw.once('close', () => void parts.return().catch(() => undefined))
    // What is refused is refused before the answer begins.
    const first = await refuseTooSlow(slowness(listed, query), () => parts.next())
    const { type, extension } = formats[format]
    reply.headers({
      'content-type': `${type}; charset=utf-8${format === 'csv' ? '; header=present' : ''}`,
      'content-disposition': `attachment; filename="${listed.plural}.${extension}"`,
      'cache-control': 'private, no-store',
    })
    // Reads on when the client has taken what was sent; a client that leaves ends it.
    reply.send(Readable.from(linesOf(listed, format, first, parts, exchange)))
    return undefined
  },
})

const mayReadOf = (listed: Listed, state: RowState): string =>
  state === 'active' ? mayRead(listed) : 'Only rows that the caller may restore.'

const formats = {
  csv: { type: 'text/csv', extension: 'csv' },
  jsonl: { type: 'application/x-ndjson', extension: 'jsonl' },
} as const

type Format = keyof typeof formats

const formatKey = {
  name: 'format',
  description:
    'csv: RFC 4180 with a header; text that a spreadsheet would take for a formula stands behind an apostrophe. jsonl: a record in each line.',
  schema: { type: 'string', enum: Object.keys(formats), default: 'csv' },
}

function readFormat(input: unknown): Format {
  if (input === undefined) return 'csv'
  if (typeof input === 'string' && Object.hasOwn(formats, input)) return input as Format
  throw invalid({ format: [`Format must be ${Object.keys(formats).join(' or ')}.`] })
}

async function* linesOf(
  listed: Listed,
  format: Format,
  first: IteratorResult<Row[], void>,
  parts: AsyncGenerator<Row[], void>,
  { session }: Exchange,
): AsyncGenerator<string, void> {
  const lineOf =
    format === 'csv'
      ? (row: Row) => csvLine(listed.columns.map((name) => row[name]))
      : (row: Row) => `${JSON.stringify(showRecord(listed, row))}\n`
  if (format === 'csv') yield csvLine(listed.columns)
  for (let part = first; !part.done; part = await parts.next()) {
    yield part.value.map(lineOf).join('')
    // An answer that takes minutes must not outlast the sign-in.
    if (!(await session.recheck())) throw unauthenticated()
  }
}
