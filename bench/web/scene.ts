import { sql } from '../../src/db/sql.ts'
import type { BrowserSetup } from '../../test/browser/support/browser-setup.ts'
import { addDays, mondayOf, today } from '../../web/src/time/days.ts'

export interface Scene {
  /** The project with 500 assignments of twelve people. */
  readonly projectId: string
  /** The project with 5,000 assignments of a hundred people, with labels and dependencies. */
  readonly largeId: string
  readonly login: string
  readonly assignment: { readonly id: string; readonly name: string }
}

/**
 * Creates two projects in which a third of the assignments is done and some are blocked, with time recorded
 * in this week. The large project is a plan for eight months.
 */
export async function makeScene(setup: BrowserSetup): Promise<Scene> {
  const { hosts, workspace } = setup
  const { make, administrator } = workspace
  const people = [administrator, workspace.mara, workspace.jonas]
  for (const name of names) people.push(await workspace.join(name))
  for (const name of ['Bug', 'Chore', 'Design']) await make('assignmentType', { name })
  const makeProject = async (name: string, size: Size) => {
    const { id: projectId } = await make('project', { name, organizationId: workspace.organizationId })
    for (const { id: userId } of people) await make('userProject', { projectId, userId })
    const first = await workspace.assignment(`${subjects[0]} 0`, { projectId, userId: administrator.id })
    const addedIds = await addPeople(hosts, projectId, size.people - people.length)
    await fill(projectId, first, { ...size, people: [...people.map(({ id }) => id), ...addedIds] })
    return { projectId, first }
  }
  const fill = async (projectId: string, first: string, size: FilledSize) => {
    const begin = addDays(today(), -Math.floor(size.days * 0.45))
    await hosts.database.query(sql`
      insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id, created_at, updated_at)
      select gen_random_uuid(), (${subjects}::text[])[1 + n % ${subjects.length}] || ' ' || n,
        (${begin}::date + (n * 7) % ${size.days}) at time zone 'UTC',
        (${begin}::date + (n * 7) % ${size.days} + n % 9) at time zone 'UTC', n % 24, project_id,
        (${Object.values(workspace.stages)}::uuid[])[1 + n % 3],
        (${size.people}::uuid[])[1 + n % ${size.people.length}],
        assignment_type_id, created_at, now() - (n % 40) * interval '1 hour'
      from assignments, generate_series(1, ${size.assignments - 1}) as n where assignments.id = ${first}`)
    await hosts.database.query(sql`
      insert into assignment_impediments (id, assignment_id, impediment_id)
      select gen_random_uuid(), id, ${workspace.impedimentId} from assignments
      where project_id = ${projectId} order by name limit 25`)
    await hosts.database.query(sql`
      insert into appointments (id, assignment_id, user_id, keep_date, amount_hours, description)
      select gen_random_uuid(), id, user_id, ${mondayOf(today())}::date at time zone 'UTC', 2, 'Noted'
      from assignments where project_id = ${projectId} order by id limit 200`)
  }
  const { projectId, first } = await makeProject('Five hundred cards', {
    assignments: 500,
    people: 12,
    days: 45,
  })
  const large = { assignments: 5000, people: 100, days: 240 }
  const { projectId: largeId } = await makeProject('Five thousand cards', large)
  await addLabelsAndDependencies(setup, largeId)
  return {
    projectId,
    largeId,
    login: administrator.login,
    assignment: { id: first, name: `${subjects[0]} 0` },
  }
}

interface Size {
  readonly assignments: number
  readonly people: number
  /** The number of days over which their start dates are spread. */
  readonly days: number
}

type FilledSize = Omit<Size, 'people'> & { readonly people: readonly string[] }

/** Adds members who never sign in. */
async function addPeople({ database }: BrowserSetup['hosts'], projectId: string, count: number) {
  const added = await database.query<{ id: string }>(sql`
    with people as (
      insert into users (id, name, login, password_hash, security_stamp)
      select gen_random_uuid(), (${names}::text[])[1 + n % ${names.length}] || ' ' || n, 'member-' || n || '@example.com', 'none', ''
      from generate_series(1, ${count}) as n returning id
    ), members as (
      insert into user_projects (id, user_id, project_id) select gen_random_uuid(), id, ${projectId} from people
    )
    select id from people`)
  return added.map(({ id }) => id)
}

/** A third of the assignments get one label, and a third get two. A quarter of all are each blocked by another one. */
async function addLabelsAndDependencies(
  { hosts, workspace }: BrowserSetup,
  projectId: string,
): Promise<void> {
  const labelIds: string[] = []
  for (const [index, color] of (['blue', 'green', 'amber', 'red', 'purple', 'teal'] as const).entries())
    labelIds.push((await workspace.make('label', { name: `Label ${index + 1}`, color, projectId })).id)
  const numbered = sql`(select id, row_number() over (order by name, id) as n from assignments where project_id = ${projectId}) as assignment`
  await hosts.database.query(sql`
    insert into assignment_labels (id, assignment_id, label_id)
    select gen_random_uuid(), id, (${labelIds}::uuid[])[1 + (n + step) % 6]
    from ${numbered}, generate_series(0, 1) as step where n % 3 > step`)
  await hosts.database.query(sql`
    insert into assignment_dependencies (id, assignment_id, blocked_by_id)
    select gen_random_uuid(), assignment.id, other.id from ${numbered}
    join (select id, row_number() over (order by name, id) as n from assignments where project_id = ${projectId}) as other
      on other.n = assignment.n + 1 where assignment.n % 4 = 0`)
}

const names = [
  'Aino Virtanen',
  'Beatriz Moura',
  'Chidi Okafor',
  'Dana Novak',
  'Elif Kaya',
  'Farid Haddad',
  'Greta Olsen',
  'Hiro Tanaka',
  'Inés Vega',
]

const subjects = [
  'Write the offer',
  'Check every link of the old site, and write down where each of them should lead from now on',
  'Colours',
  'Invoice of the second instalment',
  'Prepare the workshop with the customer’s editors',
  'Fix the menu on phones',
]
