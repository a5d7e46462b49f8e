import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary, matchesTag } from '../../http/conditional.ts'
import { sendEnvelope } from '../../http/errors.ts'
import { onceClosed } from '../../http/server.ts'
import { releaseAll, takeAll } from '../../model/budget.ts'
import { busy, unauthenticated } from '../../model/problem.ts'
import { get } from '../../records/get.ts'
import { attachment } from '../../resources/attachment.ts'
import type { Exchange } from '../../routes/route.ts'
import type { ByteRange } from './file-store.ts'
import { isShownInline } from './file-types.ts'
import type { Files } from './files.ts'

interface StoredRow {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
}

/** Sends the file of an attachment, or the part that the request asks for, to anyone who may see the row now. */
export async function serveFile(files: Files, exchange: Exchange): Promise<void> {
  const { context, caller, request, reply } = exchange
  const { id } = request.query as { readonly id?: unknown }
  const { row } = await get(context, attachment, caller, { id })
  const file = row as unknown as StoredRow
  const { size } = file
  const tag = `"${file.sha256}"`
  const held = request.headers['if-none-match']
  if (held !== undefined && matchesTag(held, tag)) {
    setHeaders(reply, file, tag)
    return void reply.code(304).send()
  }
  const range = rangeOf(request, tag, size)
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
  setHeaders(reply, file, tag)
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  reply.header('content-length', end - start + 1).send(body)
}

/** The same for all answers of one file, whatever part of it they have. */
function setHeaders(reply: FastifyReply, { name, type }: StoredRow, tag: string): void {
  addVary(reply, 'Authorization')
  reply.headers({
    etag: tag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    'content-disposition': contentDisposition(isShownInline(type) ? 'inline' : 'attachment', name),
    // If a browser opens the file in spite of everything, it runs no script and has no origin.
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
  })
}

/** RFC 6266, with the name in RFC 8187 and a replacement for clients that do not know it. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const replacement = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${replacement}"; filename*=UTF-8''${encoded}`
}

/** RFC 9110, 14.2: a range is ignored if the file is not the one that the client knows a part of. */
function rangeOf({ headers }: FastifyRequest, tag: string, size: number) {
  const { range, 'if-range': ifRange } = headers
  if (typeof range !== 'string' || (ifRange !== undefined && ifRange !== tag)) return undefined
  return parseRange(range, size)
}

/**
 * Parses a single range, such as `bytes=0-499`, `bytes=500-` or `bytes=-500`. Anything else is ignored, several ranges too, so that no
 * client can ask for the same bytes many times.
 */
export function parseRange(text: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(text.trim()) ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return Number(last) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(last)), end: size - 1 }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/** A reader of 25 MiB that needs longer holds an open file without a reason. */
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
  // A client may disconnect before the first piece is asked for.
  onceClosed(reply, () => source.destroy())
  return Readable.from(piecesOf(source), { objectMode: false })

  async function* piecesOf(stream: Readable): AsyncGenerator<Buffer, void> {
    const endsAt = performance.now() + downloadMilliseconds
    for await (const piece of stream) {
      yield piece
      bytes.served += piece.length
      // An answer that takes minutes must not outlast the session. An error resets the connection.
      if (performance.now() > endsAt || !(await session.recheck())) throw unauthenticated()
    }
  }
}
