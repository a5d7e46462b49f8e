import pg from 'pg'
import type { Queries } from '../../src/db/database.ts'
import { raw } from '../../src/db/sql.ts'

export interface GrownStore {
  /** An ordinary member of ten projects. */
  readonly member: string
  readonly administrator: string
  /** The projects of the member. */
  readonly projects: readonly string[]
  readonly assignments: readonly Readonly<Record<string, unknown>>[]
  /** Other people, most of whom are members of other projects. */
  readonly people: readonly string[]
}

/** A larger company has more people and more projects, but not more assignments in each project. */
const assignmentsOfProject = 50
const assignmentsOfPerson = 100
const projectsOfPerson = 10

/** Uses a plain connection, without the time limits of hosts, because some statements take minutes. */
export async function growStore(url: string, assignments: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const projects = assignments / assignmentsOfProject
  const people = assignments / assignmentsOfPerson
  for (const statement of smallTables(projects, people)) await client.query(statement)
  await withoutIndexes(client, 'assignments', () =>
    client.query(allAssignments(assignments, { projects, people })),
  )
  await client.query(
    `insert into changes (resource, row_id, action) select 'assignment', id, 'create' from assignments`,
  )
  await client.query(
    `insert into changes (resource, row_id, action) select 'userProject', id, 'create' from user_projects`,
  )
  await client.query('vacuum analyze')
  await client.end()
}

const smallTables = (projects: number, people: number): string[] => [
  `insert into organizations (id, name) select gen_random_uuid(), 'Organization ' || n from generate_series(1, 20) n`,
  `insert into workflows (id, name, "order") select md5('stage' || n)::uuid, 'Stage ' || n, n from generate_series(0, 4) n`,
  `insert into assignment_types (id, name) select md5('type' || n)::uuid, 'Type ' || n from generate_series(0, 4) n`,
  `insert into users (id, name, login, password_hash)
   select md5('person' || n)::uuid, 'Person ' || n, 'person' || n || '@example.com', '!' from generate_series(0, ${people - 1}) n`,
  `insert into projects (id, name, organization_id)
   select md5('project' || n)::uuid, 'Project ' || n, (array(select id from organizations order by id))[1 + n % 20]
   from generate_series(0, ${projects - 1}) n`,
  `insert into user_projects (id, user_id, project_id)
   select gen_random_uuid(), md5('person' || n)::uuid, md5('project' || (n * 2 + k) % ${projects})::uuid
   from generate_series(0, ${people - 1}) n, generate_series(0, ${projectsOfPerson - 1}) k`,
]

/** Rows of one project are stored far apart, as if many users had worked at the same time. */
const allAssignments = (assignments: number, { projects, people }: Record<'projects' | 'people', number>) => `
  insert into assignments (id, name, description, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
  select gen_random_uuid(), 'Assignment ' || n || ' ' || substr(md5(n::text), 1, 8), 'What has to be done for number ' || n,
    now() + make_interval(days => n % 60), now() + make_interval(days => n % 60 + 7), n % 40,
    md5('project' || n % ${projects})::uuid, md5('stage' || n % 5)::uuid,
    md5('person' || n % ${people})::uuid, md5('type' || n % 5)::uuid
  from generate_series(1, ${assignments}) n`

/**
 * Drops the indexes during the work. Rebuilding a text index takes seconds; updating it for each row, many
 * minutes.
 */
async function withoutIndexes(client: pg.Client, table: string, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
      where tablename = $1 and indexdef not like 'CREATE UNIQUE%'`,
    [table],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await work()
  for (const { definition } of rows) await client.query(definition)
}

/**
 * Reads the rows from which the requests are built. Uses the hosts' database layer, because `pg` alone returns
 * `amount_hours` as text.
 */
export async function selectRows(database: Queries): Promise<GrownStore> {
  const idsOf = async (statement: string) =>
    (await database.query<{ id: string }>(raw(statement))).map(({ id }) => id)
  // By the number in a login such as `person12@example.com`.
  const [member = '', administrator = '', ...people] = await idsOf(
    `select id from users order by substr(login, 7, strpos(login, '@') - 7)::int limit 260`,
  )
  const memberProjects = `select project_id from user_projects where user_id = '${member}'`
  return {
    member,
    administrator,
    people,
    projects: await idsOf(memberProjects.replace('project_id', 'project_id as id')),
    assignments: await database.query(
      raw(`select id, name, start_date as "startDate", end_date as "endDate", amount_hours as "amountHours",
        project_id as "projectId", workflow_id as "workflowId", user_id as "userId", assignment_type_id as "assignmentTypeId"
        from assignments where project_id in (${memberProjects}) order by id limit 500`),
    ),
  }
}
