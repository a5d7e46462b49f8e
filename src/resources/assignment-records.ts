import { membersOfAssignment } from '../model/access-rule.ts'
import {
  byServer,
  defaultsToCaller,
  optional,
  referenceByServer,
  references,
  required,
} from '../model/field.ts'
import { fileName, hours, integer, text, timestamp, uuid } from '../model/field-kinds.ts'
import {
  commentCharactersMax,
  descriptionCharactersMax,
  fileBytesMax,
  mediaTypeCharactersMax,
  nameCharactersMax,
  sha256Characters,
} from '../model/text.ts'
import { defineResource } from './define-resource.ts'

/** Records about an assignment: hours, impediments, comments and files. */

export const appointment = defineResource({
  name: 'appointment',
  edition: 'v1',
  table: 'appointments',
  about: 'Time that an account spent on an assignment.',
  fields: {
    description: optional(2, text({ max: descriptionCharactersMax }), {
      about: 'The work done.',
      example: 'Drew the ladder.',
    }),
    keepDate: required(3, timestamp, { about: 'The date of the work.' }),
    amountHours: required(4, hours({ zeroAllowed: false }), {
      about: 'The duration in hours.',
      example: 1.5,
    }),
    assignmentId: references(5, uuid, 'assignment', 'restrict'),
    userId: references(6, uuid, 'user', 'restrict', { about: 'The account that did the work.' }),
  },
  access: { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'], ownerColumn: 'userId' },
  filters: ['assignmentId', 'userId', { instant: 'keepDate' }],
})

export const assignmentImpediment = defineResource({
  name: 'assignmentImpediment',
  edition: 'v1',
  table: 'assignment_impediments',
  about: 'An impediment that blocks an assignment.',
  fields: {
    description: optional(2, text({ max: descriptionCharactersMax }), {
      about: 'How it blocks the assignment.',
      example: 'The wood is not here yet.',
    }),
    assignmentId: references(3, uuid, 'assignment', 'restrict'),
    impedimentId: references(4, uuid, 'impediment', 'restrict'),
  },
  access: membersOfAssignment,
  filters: ['assignmentId'],
})

export const comment = defineResource({
  name: 'comment',
  edition: 'ext',
  table: 'comments',
  about:
    'A comment on an assignment. It remains when its author is removed, and is removed with its assignment.',
  fields: {
    text: required(2, text({ max: commentCharactersMax }), {
      about: 'The text, in Markdown.',
      example: 'Looks **good** to me.',
    }),
    assignmentId: references(3, uuid, 'assignment', 'cascade'),
    userId: defaultsToCaller(references(4, uuid, 'user', 'keep', { about: 'The author.' })),
  },
  access: { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'], ownerColumn: 'userId' },
  filters: ['assignmentId', 'userId'],
})

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
