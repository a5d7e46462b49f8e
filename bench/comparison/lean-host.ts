import { fastify } from 'fastify'
import pg from 'pg'
import { pgTypeParsers } from '../../src/db/columns.ts'

// The leanest possible host on the same framework, driver and tables: one prepared statement per request and
// nothing else. It checks no token, membership, reference, field or version, and writes no change log and no
// history. Prints its port.
const config = { connectionString: process.argv[2], types: pgTypeParsers, pipeline: true }
const reads = new pg.Client(config)
await reads.connect()
const writes = new pg.Pool({ ...config, max: 12 })

const columns = `id, name, description, start_date as "startDate", end_date as "endDate", amount_hours as "amountHours",
  project_id as "projectId", workflow_id as "workflowId", user_id as "userId", assignment_type_id as "assignmentTypeId",
  created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt", active`

type Fields = Readonly<Record<string, unknown>>

const valuesOf = (row: Fields) => [
  row.id,
  row.name,
  row.startDate,
  row.endDate,
  row.amountHours,
  row.projectId,
  row.workflowId,
  row.userId,
  row.assignmentTypeId,
]

const app = fastify()
app.get('/api/assignment', async ({ query }) => {
  const text = `select ${columns} from assignments where id = $1`
  const { rows } = await reads.query({ name: 'get', text, values: [(query as Fields).id] })
  return { assignment: rows[0] }
})
app.get('/api/assignments', async ({ query }) => {
  const { pageSize, projectId } = query as Fields
  const text = `select ${columns}, count(*) over () as "totalCount" from assignments where project_id = $1 and active
    order by id limit $2`
  const { rows } = await reads.query({ name: 'list', text, values: [projectId, pageSize] })
  return { result: { data: rows, totalCount: rows[0]?.totalCount ?? 0 } }
})
app.post('/api/assignment', async ({ body }) => {
  const text = `insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id,
    assignment_type_id) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`
  const { rows } = await writes.query({ name: 'create', text, values: valuesOf(body as Fields) })
  return { assignment: rows[0] }
})
app.patch('/api/assignment', async ({ body }) => {
  const text = `update assignments set name = $2, start_date = $3, end_date = $4, amount_hours = $5, project_id = $6,
    workflow_id = $7, user_id = $8, assignment_type_id = $9, updated_at = now() where id = $1`
  await writes.query({ name: 'update', text, values: valuesOf(body as Fields) })
  return { success: true }
})
console.log(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
