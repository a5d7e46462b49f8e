import type { Condition } from '../db/conditional-write.ts'
import type { Values } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { membersOfProject } from '../model/access-rule.ts'
import {
  byServer,
  extension,
  givenByStore,
  optional,
  optionalReference,
  references,
  required,
} from '../model/field.ts'
import { hours, integer, text, timestamp, uuid } from '../model/field-kinds.ts'
import { invalid } from '../model/problem.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text.ts'
import { isEarlier } from '../model/timestamp.ts'
import { levelsMax, rejectDeepOrCircular, subAssignmentsMax } from './assignment-levels.ts'
import { defineResource } from './define-resource.ts'

/** The largest integer of the column. */
const assignmentNumberMax = 2_147_483_647
/** A rank is moved apart from its neighbours before it is longer (src/features/assignment-order/). */
export const rankCharactersMax = 60

export const assignment = defineResource({
  name: 'assignment',
  edition: 'v1',
  table: 'assignments',
  about: 'A task of a project, with its period, its estimate and the responsible account.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The name.',
      example: 'Build the ladder',
    }),
    description: optional(3, text({ max: descriptionCharactersMax }), {
      about: 'The work to do, in Markdown.',
      example: 'Nine rungs, and light enough for the lander.',
    }),
    startDate: required(4, timestamp, { about: 'The start of the work.' }),
    endDate: required(5, timestamp, {
      about: 'The due date, which is on or after the start date.',
      example: '2026-01-09T17:00:00Z',
    }),
    amountHours: required(6, hours({ zeroAllowed: true }), {
      about: 'The estimate; 0 means that there is none yet.',
      example: 12,
    }),
    projectId: references(7, uuid, 'project', 'restrict'),
    workflowId: references(8, uuid, 'workflow', 'restrict', { about: 'The stage that it is in.' }),
    userId: references(9, uuid, 'user', 'restrict', { about: 'The responsible account.' }),
    assignmentTypeId: references(10, uuid, 'assignmentType', 'restrict'),
    priority: extension(
      optional(16, integer({ min: 1, max: 4 }), {
        about: '1 is low, 2 medium, 3 high and 4 urgent; null means no priority.',
        example: 3,
      }),
    ),
    number: extension(
      givenByStore(
        byServer(17, integer({ min: 1, max: assignmentNumberMax }), {
          about:
            'The number within the project, given in order of creation and never again; it changes only if the assignment moves to another project. With the key of the project it is the address: MBA-12.',
          example: 12,
        }),
      ),
    ),
    parentId: extension(
      optionalReference(18, uuid, 'assignment', 'keep', {
        about: `The assignment of the same project that it is a part of; null means none. There are at most ${levelsMax} levels.`,
        example: '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b59',
      }),
    ),
    rank: extension(
      givenByStore(
        byServer(19, text({ max: rankCharactersMax }), {
          about:
            'The place in the manual order of its stage: stages are sorted by it, character by character. A new assignment comes last.',
          example: '0000000012V',
        }),
      ),
    ),
  },
  access: membersOfProject,
  filters: ['projectId', 'userId', 'workflowId', 'parentId', { period: ['startDate', 'endDate'] }],
  counter: { table: 'assignment_counters', per: 'projectId', gives: ['number', 'rank'] },
  checks: [endsOnOrAfterItsStart],
  projectRules: {
    onlyWith: 'parentId',
    sameProject: ['parentId'],
    rowsMax: {
      per: 'parentId',
      max: subAssignmentsMax,
      message: `An assignment may have at most ${subAssignmentsMax} sub-assignments.`,
    },
    check: rejectDeepOrCircular,
  },
  hooks: { updateConditions: endsAfterStoredStart },
})

function endsOnOrAfterItsStart({ startDate, endDate }: { startDate?: string; endDate?: string }) {
  const endsTooEarly = startDate !== undefined && endDate !== undefined && isEarlier(endDate, startDate)
  return endsTooEarly ? endsTooEarlyErrors : undefined
}

const endsTooEarlyErrors = { endDate: ['End date must be on or after start date.'] }

/** An update under `/ext/` may have one of the two dates, which is compared with the stored other one. */
function endsAfterStoredStart({ startDate, endDate }: Values): Condition[] {
  if ((startDate === undefined) === (endDate === undefined)) return []
  const rejectIf =
    startDate === undefined
      ? sql`${endDate}::timestamptz < before.start_date`
      : sql`before.end_date < ${startDate}::timestamptz`
  return [{ rejectIf, problem: () => invalid(endsTooEarlyErrors) }]
}
