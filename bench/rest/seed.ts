import type { Database } from '../../src/db/database.ts'
import { raw } from '../../src/db/sql.ts'

export interface SeededStore {
  /** An ordinary member of some of the projects. */
  readonly member: { readonly id: string; readonly login: string; readonly securityStamp: string }
  readonly projects: readonly string[]
  readonly organizations: readonly string[]
  /** Assignments in the member's projects. */
  readonly assignments: readonly Readonly<Record<string, unknown>>[]
}

/** Also writes the change log, as if assignments and memberships had been created through the API. */
const statements = [
  `insert into organizations (id, name) select gen_random_uuid(), 'Organization ' || n from generate_series(1, 20) n`,
  `insert into workflows (id, name, "order") select gen_random_uuid(), 'Stage ' || n, n from generate_series(1, 5) n`,
  `insert into assignment_types (id, name) select gen_random_uuid(), 'Type ' || n from generate_series(1, 5) n`,
  `insert into users (id, name, login, password_hash)
   select gen_random_uuid(), 'Person ' || n, 'person' || n || '@example.com', '!' from generate_series(1, 100) n`,
  `insert into projects (id, name, organization_id)
   select gen_random_uuid(), 'Project ' || n, (array(select id from organizations order by id))[1 + n % 20]
   from generate_series(1, 200) n`,
  // Every person is a member of ten projects, every project has five members.
  `insert into user_projects (id, user_id, project_id)
   select gen_random_uuid(), u.id, p.id
   from (select id, row_number() over (order by login) as n from users) u
   join (select id, row_number() over (order by name) as n from projects) p on p.n % 20 = u.n % 20`,
  `insert into assignments (id, name, description, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
   select gen_random_uuid(), 'Assignment ' || n, 'What has to be done for number ' || n,
     now() + make_interval(days => n % 60), now() + make_interval(days => n % 60 + 7), n % 40,
     (array(select id from projects order by id))[1 + n % 200], (array(select id from workflows order by id))[1 + n % 5],
     (array(select id from users order by id))[1 + n % 100], (array(select id from assignment_types order by id))[1 + n % 5]
   from generate_series(1, 10000) n`,
  `insert into changes (resource, row_id, action) select 'assignment', id, 'create' from assignments`,
  `insert into changes (resource, row_id, action) select 'userProject', id, 'create' from user_projects`,
  'vacuum analyze',
]

/** Creates 10,000 assignments in 200 projects, and 100 people. */
export async function seedStore(database: Database): Promise<SeededStore> {
  for (const statement of statements) await database.query(raw(statement))
  const [member] = await database.query<SeededStore['member']>(
    raw(`select id, login, security_stamp as "securityStamp" from users where login = 'person1@example.com'`),
  )
  if (!member) throw new Error('The seed has no person1.')
  const memberProjects = `select project_id from user_projects where user_id = '${member.id}'`
  const projects = await database.query<{ id: string }>(
    raw(memberProjects.replace('project_id', 'project_id as id')),
  )
  const organizations = await database.query<{ id: string }>(raw('select id from organizations order by id'))
  const assignments = await database.query<Readonly<Record<string, unknown>>>(
    raw(`select id, name, start_date as "startDate", end_date as "endDate", amount_hours as "amountHours",
      project_id as "projectId", workflow_id as "workflowId", user_id as "userId", assignment_type_id as "assignmentTypeId"
      from assignments where project_id in (${memberProjects})`),
  )
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
  return { member, projects: idsOf(projects), organizations: idsOf(organizations), assignments }
}
