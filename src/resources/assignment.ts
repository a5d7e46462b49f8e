import type { Condition } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import type { Values } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'
import { membersOfAssignment, membersOfProject } from '../model/access-rule.ts'
import {
  byServer,
  extension,
  generated,
  optional,
  optionalReference,
  references,
  required,
  requiredOnCreate,
  withDefault,
} from '../model/field.ts'
import { boolean, hours, integer, isEarlier, text, timestamp, uuid } from '../model/field-kinds.ts'
import { invalid } from '../model/problem.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

/** The largest integer of the column. */
const assignmentNumberMax = 2_147_483_647
/** Neighbours are given new ranks before a rank becomes longer (src/features/assignments.ts). */
export const rankCharactersMax = 60
/** Counts an assignment, its sub-assignments, and theirs. */
const levelsMax = 3
const subAssignmentsMax = 100

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
      generated(
        byServer(17, integer({ min: 1, max: assignmentNumberMax }), {
          about:
            'The number within the project. Numbers are assigned in order of creation and never reused; the number changes only if the assignment moves to another project. The key of the project and the number form the key of the assignment: MBA-12.',
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
      generated(
        byServer(19, text({ max: rankCharactersMax }), {
          about:
            'The place in the manual order of its stage: stages are sorted by it, character by character. A new assignment comes last.',
          example: '0000000012V',
        }),
      ),
    ),
    isUnscheduled: extension(
      withDefault(
        requiredOnCreate(20, boolean, {
          about:
            'Whether it has no dates yet, so that the two dates are placeholders. Any update that changes a date, including one through v1, sets this field to false, unless it sets the field itself.',
          example: false,
        }),
        false,
      ),
    ),
    isUnassigned: extension(
      withDefault(
        requiredOnCreate(21, boolean, {
          about:
            'Whether no user is responsible yet, so that the account is a placeholder. Any update that changes the account, including one through v1, sets this field to false, unless it sets the field itself.',
          example: false,
        }),
        false,
      ),
    ),
  },
  placeholders: { isUnscheduled: ['startDate', 'endDate'], isUnassigned: ['userId'] },
  access: membersOfProject,
  filters: ['projectId', 'userId', 'workflowId', 'parentId', { period: ['startDate', 'endDate'] }],
  counter: { table: 'assignment_counters', per: 'projectId', generates: ['number', 'rank'] },
  checks: [endsOnOrAfterItsStart],
  projectRules: {
    onlyWith: 'parentId',
    sameProject: ['parentId'],
    rowsMax: {
      per: 'parentId',
      max: subAssignmentsMax,
      message: `An assignment may have at most ${subAssignmentsMax} sub-assignments.`,
    },
    check: rejectDeepOrCircularNesting,
  },
  hooks: { updateConditions: endsAfterStoredStart },
})

function endsOnOrAfterItsStart({ startDate, endDate }: { startDate?: string; endDate?: string }) {
  const endsTooEarly = startDate !== undefined && endDate !== undefined && isEarlier(endDate, startDate)
  return endsTooEarly ? endsTooEarlyErrors : undefined
}

const endsTooEarlyErrors = { endDate: ['End date must be on or after start date.'] }

/**
 * An update under `/ext/` may contain one date without the other. It is then compared with the stored value
 * of the other.
 */
function endsAfterStoredStart({ startDate, endDate }: Values): Condition[] {
  if ((startDate === undefined) === (endDate === undefined)) return []
  const rejectIf =
    startDate === undefined
      ? sql`${endDate}::timestamptz < before.start_date`
      : sql`before.end_date < ${startDate}::timestamptz`
  return [{ rejectIf, problem: () => invalid(endsTooEarlyErrors) }]
}

interface ParentLink {
  readonly id: string
  readonly parentId: string | null
}

/**
 * The project is locked, so that concurrent writes cannot close a cycle or exceed the levels together.
 * Removed assignments count, too, because they may be restored.
 */
async function rejectDeepOrCircularNesting(transaction: Queries, ids: readonly string[]): Promise<void> {
  const written = await readParentLinks(transaction, sql`id = any(${ids}::uuid[])`)
  const above = await follow(
    transaction,
    written,
    ({ parentId }) => parentId,
    (next) => sql`id = any(${next}::uuid[])`,
  )
  const below = await follow(
    transaction,
    written,
    ({ id }) => id,
    (next) => sql`parent_id = any(${next}::uuid[])`,
  )
  const parents = new Map([...above, ...below].map(({ id, parentId }) => [id, parentId]))
  for (const id of parents.keys()) if (levelOf(parents, id) > levelsMax) throw invalid({ parentId: tooDeep })
}

const tooDeep = [`Assignments may be nested at most ${levelsMax} levels deep, and never within themselves.`]

/** Reads the assignments that are reachable from the written ones. Each statement reads one more level. */
async function follow(
  transaction: Queries,
  written: readonly ParentLink[],
  keyOf: (part: ParentLink) => string | null,
  conditionOf: (keys: readonly unknown[]) => Sql,
): Promise<readonly ParentLink[]> {
  const links = [...written]
  let last = written
  for (let level = 1; level <= levelsMax && last.length > 0; level += 1) {
    const keys = [...new Set(last.map(keyOf))].filter((key) => key !== null)
    last = keys.length === 0 ? [] : await readParentLinks(transaction, conditionOf(keys))
    links.push(...last)
  }
  return links
}

const readParentLinks = (transaction: Queries, condition: Sql): Promise<ParentLink[]> =>
  transaction.query<ParentLink>(sql`select id, parent_id as "parentId" from assignments where ${condition}`)

/** Counts at most one level more than `levelsMax`, so that a cycle ends the loop. */
function levelOf(parents: ReadonlyMap<string, string | null>, id: string): number {
  let level = 0
  let ancestor: string | null | undefined = id
  while (ancestor && level <= levelsMax) {
    level += 1
    ancestor = parents.get(ancestor)
  }
  return level
}

export const userAssignment = defineResource({
  name: 'userAssignment',
  edition: 'v1',
  table: 'user_assignments',
  about: 'An account that works on an assignment in addition to the responsible one.',
  fields: {
    userId: references(2, uuid, 'user', 'cascade'),
    assignmentId: references(3, uuid, 'assignment', 'cascade'),
  },
  access: membersOfAssignment,
  filters: ['assignmentId', 'userId'],
})
