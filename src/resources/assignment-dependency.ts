import { column } from '../db/columns.ts'
import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { membersOfAssignment } from '../model/access-rule.ts'
import { references } from '../model/field.ts'
import { uuid } from '../model/field-kinds.ts'
import { duplicate, invalid } from '../model/problem.ts'
import { defineResource } from './define-resource.ts'

const dependenciesOfAssignmentMax = 50
/** Longer than any chain that people can follow. It also limits the statements that look for cycles. */
const chainMax = 100
/**
 * To look for cycles, a write reads at most this many dependencies in each direction: up to 0.2 s under the
 * lock of the project.
 */
const connectedMax = 10_000

/**
 * An assignment waits for another assignment of its project. The dependency is removed with either
 * assignment.
 */
export const assignmentDependency = defineResource({
  name: 'assignmentDependency',
  edition: 'ext',
  table: 'assignment_dependencies',
  about:
    'An assignment that waits for another one of its project. No assignment waits for itself, directly or through others.',
  fields: {
    assignmentId: references(2, uuid, 'assignment', 'cascade', { about: 'The assignment that waits.' }),
    blockedById: references(3, uuid, 'assignment', 'cascade', {
      about: 'The assignment that it waits for.',
      example: '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b59',
    }),
  },
  access: membersOfAssignment,
  filters: ['assignmentId', 'blockedById', 'projectId'],
  unique: {
    index: 'assignment_dependencies_active',
    problem: () => duplicate('blockedById', 'The assignment already waits for this one.'),
  },
  checks: [waitsForAnother],
  projectRules: {
    sameProject: ['assignmentId', 'blockedById'],
    rowsMax: {
      per: 'assignmentId',
      max: dependenciesOfAssignmentMax,
      message: `An assignment may wait for at most ${dependenciesOfAssignmentMax} others.`,
    },
    check: rejectCycles,
  },
})

function waitsForAnother({ assignmentId, blockedById }: { assignmentId?: string; blockedById?: string }) {
  const isItself = assignmentId !== undefined && assignmentId === blockedById
  return isItself ? { blockedById: ['BlockedById must be another assignment.'] } : undefined
}

type End = 'assignmentId' | 'blockedById'
type Dependency = Readonly<Record<End, string>>

/** The project is locked, so that concurrent writes cannot close a cycle together. */
async function rejectCycles(transaction: Queries, ids: readonly string[]): Promise<void> {
  const written = await transaction.query<Dependency>(
    sql`select assignment_id as "assignmentId", blocked_by_id as "blockedById" from assignment_dependencies where id = any(${ids}::uuid[])`,
  )
  const waiting = written.map(({ assignmentId }) => assignmentId)
  const below = await follow(transaction, waiting, { from: 'assignmentId', to: 'blockedById' })
  const above = await follow(transaction, waiting, { from: 'blockedById', to: 'assignmentId' })
  const links = longestChain([...below, ...above])
  if (links === undefined)
    throw invalid({
      blockedById: ['BlockedById already waits for the assignment, directly or through others.'],
    })
  if (links > chainMax)
    throw invalid({ blockedById: [`A chain of dependencies may have at most ${chainMax} links.`] })
}

/** Reads the dependencies that are reachable from these assignments. Each statement reads one more link. */
async function follow(
  transaction: Queries,
  start: readonly string[],
  { from, to }: { readonly from: End; readonly to: End },
): Promise<readonly Dependency[]> {
  const found: Dependency[] = []
  const seen = new Set(start)
  let next = [...seen]
  for (let links = 0; next.length > 0 && links <= chainMax; links += 1) {
    const reached = await transaction.query<Dependency>(sql`
      select assignment_id as "assignmentId", blocked_by_id as "blockedById" from assignment_dependencies
      where active and ${column(from)} = any(${next}::uuid[]) limit ${connectedMax + 1 - found.length}::int`)
    found.push(...reached)
    if (found.length > connectedMax)
      throw invalid({ blockedById: [`At most ${connectedMax} dependencies may be connected.`] })
    next = [...new Set(reached.map((dependency) => dependency[to]))].filter((id) => !seen.has(id))
    for (const id of next) seen.add(id)
  }
  return found
}

/**
 * Returns the number of links in the longest chain, but at most one more than `chainMax`. Returns undefined if
 * some dependencies form a cycle.
 */
function longestChain(dependencies: readonly Dependency[]): number | undefined {
  let remaining = dependencies
  for (let links = 0; links <= chainMax; links += 1) {
    if (remaining.length === 0) return links
    const waiting = new Set(remaining.map(({ assignmentId }) => assignmentId))
    // Each round removes the last link of every chain, so only cycles never become shorter.
    const shortened = remaining.filter(({ blockedById }) => waiting.has(blockedById))
    if (shortened.length === remaining.length) return undefined
    remaining = shortened
  }
  return chainMax + 1
}
