import { membersOfAssignment } from '../model/access-rule.ts'
import { byServer, referenceByServer, references, required } from '../model/field.ts'
import { fileName, integer, text, uuid } from '../model/field-kinds.ts'
import { fileBytesMax, mediaTypeCharactersMax, nameCharactersMax, sha256Characters } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

/** A file on an assignment. `src/features/attachments/` creates the row with the file and serves the file. */
export const attachment = defineResource({
  name: 'attachment',
  edition: 'ext',
  table: 'attachments',
  about:
    'A file on an assignment. It is created by uploading the file, only its name can change, and it is removed with its assignment.',
  fields: {
    name: required(2, fileName({ max: nameCharactersMax }), {
      about: 'The name of the file, without folders and hidden characters.',
      example: 'sketch.png',
    }),
    type: byServer(3, text({ max: mediaTypeCharactersMax }), {
      about: 'The media type, detected from the first bytes. The type that the sender declares is ignored.',
      example: 'image/png',
    }),
    size: byServer(4, integer({ min: 1, max: fileBytesMax }), { about: 'The size in bytes.' }),
    sha256: byServer(5, text({ max: sha256Characters }), {
      about: 'The SHA-256 of the file, in hexadecimal.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    assignmentId: referenceByServer(references(6, uuid, 'assignment', 'cascade')),
    userId: referenceByServer(
      references(7, uuid, 'user', 'keep', { about: 'The account that uploaded it.' }),
    ),
  },
  access: membersOfAssignment,
  filters: ['assignmentId', 'userId'],
  withoutCreate: true,
})
