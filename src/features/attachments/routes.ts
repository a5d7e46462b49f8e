import { uuid } from '../../model/field-kinds.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { attachment } from '../../resources/attachment.ts'
import { rowAnswer } from '../../routes/if-match.ts'
import type { Route } from '../../routes/route.ts'
import { recordAnswerSchema } from '../../routes/schemas.ts'
import type { Files } from './files.ts'
import { createFromUpload, receiveUpload } from './receive-upload.ts'
import { serveFile } from './serve-file.ts'

/** The routes of files. All others of attachments follow from the declaration. */
export const attachmentRoutes = (files: Files): Route[] => [uploadRoute(files), contentRoute(files)]

const tag = attachment.pluralTitle
const file = { type: 'string', format: 'binary' } as const

const uploadRoute = (files: Files): Route => ({
  id: 'UploadAttachment',
  tag,
  summary: 'Uploads a file to an assignment.',
  description:
    'The body is the file itself, of any content type, which is ignored: the type of the file is found in its bytes. Members of a project attach files to its assignments. Nothing of the body is kept before the rights of the caller and the room in the project are checked. The files of a project have a quota, which removed ones count towards until they are purged. Under an Idempotency-Key the request may be sent again.',
  method: 'POST',
  path: '/ext/attachment',
  parameters: [
    { name: 'assignmentId', description: 'The assignment.', required: true, schema: uuid.schema },
    {
      name: 'name',
      description:
        'The name of the file. Folders and hidden characters are removed, and a longer name is shortened before its ending.',
      required: true,
      schema: { type: 'string', minLength: 1, maxLength: nameCharactersMax, examples: ['sketch.png'] },
    },
  ],
  body: file,
  bodyType: 'application/octet-stream',
  bodyBytesMax: files.limits.fileBytesMax,
  answer: recordAnswerSchema(attachment),
  errors: [400, 403, 408, 413],
  receive: (exchange) => receiveUpload(files, exchange),
  async handle(exchange) {
    return { body: rowAnswer(attachment, await createFromUpload(files, exchange)) }
  },
})

const contentRoute = (files: Files): Route => ({
  id: 'DownloadAttachment',
  tag,
  summary: 'Returns the file of an attachment, or a part of it.',
  description:
    'Accounts that see the attachment can download its file. PNG, JPEG, GIF, WebP and AVIF images are served inline; everything else, including SVG and HTML, as a download. The ETag is the SHA-256 of the file. Range accepts a single range; several are ignored.',
  method: 'GET',
  path: '/ext/attachment/content',
  parameters: [{ name: 'id', description: 'The id of the record.', required: true, schema: uuid.schema }],
  answer: file,
  answerTypes: ['application/octet-stream'],
  hasRanges: true,
  errors: [400, 403, 404, 416],
  async handle(exchange) {
    await serveFile(files, exchange)
    return undefined
  },
})
