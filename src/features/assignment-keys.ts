import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { invalid, notFound } from '../model/problem.ts'
import { get } from '../records/get.ts'
import { requireAccess } from '../records/rights.ts'
import { assignment as declared } from '../resources/assignment.ts'
import { extensionForm } from '../resources/derived.ts'
import { type Route, recordBody } from '../routes/route.ts'
import { recordResponseSchema } from '../routes/schemas.ts'

const keyPattern = '^[A-Za-z][A-Za-z0-9]{1,7}-[1-9][0-9]{0,9}$'
const keyRegExp = new RegExp(keyPattern)

/** Finds an assignment by the key that users see: the key of its project and its number. */
export function assignmentKeyRoute(): Route {
  const assignment = extensionForm(declared)
  return {
    id: 'GetAssignmentByKey',
    tag: assignment.pluralTitle,
    summary: 'Shows the assignment with a key such as MBA-12.',
    description:
      'For members of its project. An assignment is also found by the keys that it had before it moved to another project, or before the key of its project changed.',
    method: 'GET',
    path: '/ext/assignment/by-key',
    parameters: [
      {
        name: 'key',
        description:
          'The key of the project, a hyphen and the number of the assignment, in upper or lower case.',
        required: true,
        schema: { type: 'string', minLength: 4, pattern: keyPattern, examples: ['MBA-12'] },
      },
    ],
    response: recordResponseSchema(assignment),
    errors: [400, 403, 404],
    isConditional: true,
    async handle({ context, caller, request }) {
      requireAccess(assignment, caller, 'read')
      const { key } = request.query as Readonly<Record<string, unknown>>
      if (typeof key !== 'string' || !keyRegExp.test(key.trim()))
        throw invalid({ key: ['Key must be that of an assignment, such as MBA-12.'] })
      const [projectKey = '', number] = key.trim().toUpperCase().split('-')
      const id = await findByKey(context.database, projectKey, Number(number))
      if (id === undefined) throw notFound(assignment.title)
      const { row, lastChangeSecond } = await get(context, assignment, caller, { id })
      return { body: recordBody(assignment, row), lastChangeSecond }
    },
  }
}

/** Sends one statement per table, because a sharded store has the tables on different nodes. */
async function findByKey(database: Queries, key: string, number: number): Promise<string | undefined> {
  const [project] = await database.query<{ id: string }>(sql`
    select id from projects where key = ${key}
    union all select project_id from former_project_keys where key = ${key}`)
  if (!project) return undefined
  const [assignment] = await database.query<{ id: string }>(
    sql`select id from assignments where project_id = ${project.id} and number = ${number}::bigint`,
  )
  if (assignment) return assignment.id
  const [moved] = await database.query<{ id: string }>(
    sql`select assignment_id as id from assignment_addresses where project_id = ${project.id} and number = ${number}::bigint`,
  )
  return moved?.id
}
