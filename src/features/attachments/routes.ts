import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendEnvelope } from '../../http/errors.ts'
import { addVary, matchesTag } from '../../http/representations.ts'
import { onceClosed } from '../../http/server.ts'
import { releaseAll, takeAll } from '../../model/budget.ts'
import { uuid } from '../../model/field-kinds.ts'
import { busy, unauthenticated } from '../../model/problem.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { get } from '../../records/get.ts'
import { attachment } from '../../resources/assignment-records.ts'
import { type Exchange, type Route, recordBody } from '../../routes/route.ts'
import { recordResponseSchema } from '../../routes/schemas.ts'
import type { ByteRange } from './file-store.ts'
import type { Files } from './files.ts'
import { isShownInline } from './receive-file.ts'
import { createFromUpload, receiveUpload } from './receive-upload.ts'

/** The routes of files. All other routes of attachments follow from the declaration. */
export const attachmentRoutes = (files: Files): Route[] => [uploadRoute(files), contentRoute(files)]

const openApiTag = attachment.pluralTitle
const fileSchema = { type: 'string', format: 'binary' } as const

const uploadRoute = (files: Files): Route => ({
  id: 'UploadAttachment',
  tag: openApiTag,
  summary: 'Uploads a file to an assignment.',
  description:
    'The body is the file itself. Its content type is ignored, because the type is detected from the bytes. Members of a project attach files to its assignments. No part of the body is stored before the rights of the caller and the quota of the project have been checked. Removed files count towards the quota until they are purged. With an Idempotency-Key, the request may be sent again.',
  method: 'POST',
  path: '/ext/attachment',
  parameters: [
    { name: 'assignmentId', description: 'The assignment.', required: true, schema: uuid.schema },
    {
      name: 'name',
      description:
        'The name of the file. Folders and hidden characters are removed, and a name that is too long is shortened before its extension.',
      required: true,
      schema: { type: 'string', minLength: 1, maxLength: nameCharactersMax, examples: ['sketch.png'] },
    },
  ],
  body: fileSchema,
  bodyType: 'application/octet-stream',
  bodyBytesMax: files.limits.fileBytesMax,
  response: recordResponseSchema(attachment),
  errors: [400, 403, 408, 413],
  receive: (exchange) => receiveUpload(files, exchange),
  async handle(exchange) {
    return { body: recordBody(attachment, await createFromUpload(files, exchange)) }
  },
})

const contentRoute = (files: Files): Route => ({
  id: 'DownloadAttachment',
  tag: openApiTag,
  summary: 'Returns the file of an attachment, or a part of it.',
  description:
    'Accounts that see the attachment can download its file. PNG, JPEG, GIF, WebP and AVIF images are served inline; everything else, including SVG and HTML, as a download. The ETag is the SHA-256 of the file. Range accepts a single range; several are ignored.',
  method: 'GET',
  path: '/ext/attachment/content',
  parameters: [{ name: 'id', description: 'The id of the record.', required: true, schema: uuid.schema }],
  response: fileSchema,
  responseTypes: ['application/octet-stream'],
  hasRanges: true,
  errors: [400, 403, 404, 416],
  async handle(exchange) {
    await serveFile(files, exchange)
    return undefined
  },
})

interface StoredRow {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
}

/** Sends the file of an attachment, or the requested range, to a caller who can see the row now. */
async function serveFile(files: Files, exchange: Exchange): Promise<void> {
  const { context, caller, request, reply } = exchange
  const { id } = request.query as { readonly id?: unknown }
  const { row } = await get(context, attachment, caller, { id })
  const file = row as unknown as StoredRow
  const { size } = file
  const etag = `"${file.sha256}"`
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, etag)) {
    setHeaders(reply, file, etag)
    return void reply.code(304).send()
  }
  const range = rangeOf(request, etag, size)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    return void sendEnvelope(reply, {
      statusCode: 416,
      message: `The file has ${size} bytes, and the range has none of them.`,
    })
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  // A HEAD gets the headers of a GET, and the file is not opened.
  const body =
    request.method === 'HEAD' ? Readable.from([]) : await openBody(files, exchange, file, { start, end })
  setHeaders(reply, file, etag)
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  reply.header('content-length', end - start + 1).send(body)
}

/** Sets the headers that every response about a file has, 206 and 304 included. */
function setHeaders(reply: FastifyReply, { name, type }: StoredRow, etag: string): void {
  addVary(reply, 'Authorization')
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    'content-disposition': contentDisposition(isShownInline(type) ? 'inline' : 'attachment', name),
    // If a browser displays the file nevertheless, it runs no script and gives the file no origin.
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
  })
}

/**
 * Follows RFC 6266: contains the name in the encoding of RFC 8187, and an ASCII replacement for clients that
 * do not support this encoding.
 */
function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const replacement = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${replacement}"; filename*=UTF-8''${encoded}`
}

/** Ignores the range if the client has a part of another file (RFC 9110, 13.1.5). */
function rangeOf({ headers }: FastifyRequest, etag: string, size: number) {
  const { range, 'if-range': ifRange } = headers
  if (typeof range !== 'string' || (ifRange !== undefined && ifRange !== etag)) return undefined
  return parseRange(range, size)
}

/**
 * Parses a single range, such as `bytes=0-499`, `bytes=500-` or `bytes=-500`. Everything else is ignored,
 * including several ranges, with which a client could request the same bytes many times.
 */
function parseRange(text: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(text.trim()) ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return Number(last) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(last)), end: size - 1 }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/**
 * Enough for 25 MiB, the default limit, over 30 kB/s. A slower client must not hold an open file for longer.
 */
const downloadMilliseconds = 15 * 60_000
const retryAfterSeconds = 5

async function openBody(
  { store, budgets, bytes }: Files,
  { caller, session, reply }: Exchange,
  { id, size }: StoredRow,
  range: ByteRange,
): Promise<Readable> {
  const shares = [{ budget: budgets.downloadsOfAccount, holder: caller.id }, { budget: budgets.downloads }]
  if (!takeAll(shares)) throw busy(retryAfterSeconds)
  onceClosed(reply, () => releaseAll(shares))
  const source = await store.read(id, { size }, range)
  // A client may disconnect before the first piece is read.
  onceClosed(reply, () => source.destroy())
  return Readable.from(piecesOf(source), { objectMode: false })

  async function* piecesOf(stream: Readable): AsyncGenerator<Buffer, void> {
    const endsAt = performance.now() + downloadMilliseconds
    for await (const piece of stream) {
      yield piece
      bytes.served += piece.length
      // A response that takes minutes must not outlast the session. Headers have been sent, so any error only
      // resets the connection.
      if (performance.now() > endsAt || !(await session.recheck())) throw unauthenticated()
    }
  }
}
