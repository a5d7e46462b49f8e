import { sql } from '../../src/db/sql.ts'
import type { Stage } from '../../test/browser/support/stage.ts'
import { addDays, mondayOf, today } from '../../web/src/time/days.ts'

export interface Scene {
  /** With 500 assignments, and with 5,000. */
  readonly projectId: string
  readonly largeId: string
  readonly login: string
  readonly assignment: { readonly id: string; readonly name: string }
}

/** Two projects of twelve people, a third of the assignments done, some blocked, and a week with time in it. */
export async function makeScene({ hosts, workspace }: Stage): Promise<Scene> {
  const { make, administrator } = workspace
  const people = [administrator, workspace.mara, workspace.jonas]
  for (const name of names) people.push(await workspace.join(name))
  for (const name of ['Bug', 'Chore', 'Design']) await make('assignmentType', { name })
  const madeOf = async (name: string, count: number) => {
    const { id: projectId } = await make('project', { name, organizationId: workspace.organizationId })
    for (const { id: userId } of people) await make('userProject', { projectId, userId })
    const first = await workspace.assignment(`${subjects[0]} 0`, { projectId, userId: administrator.id })
    await fill(projectId, first, count - 1)
    return { projectId, first }
  }
  const fill = async (projectId: string, first: string, count: number) => {
    await hosts.database.query(sql`
      insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id, created_at, updated_at)
      select gen_random_uuid(), (${subjects}::text[])[1 + n % ${subjects.length}] || ' ' || n,
        (${addDays(today(), -20)}::date + n % 45) at time zone 'UTC',
        (${addDays(today(), -20)}::date + n % 45 + n % 9) at time zone 'UTC', n % 24, project_id,
        (${Object.values(workspace.stages)}::uuid[])[1 + n % 3],
        (${people.map(({ id }) => id)}::uuid[])[1 + n % ${people.length}],
        assignment_type_id, created_at, now() - (n % 40) * interval '1 hour'
      from assignments, generate_series(1, ${count}) as n where assignments.id = ${first}`)
    await hosts.database.query(sql`
      insert into assignment_impediments (id, assignment_id, impediment_id)
      select gen_random_uuid(), id, ${workspace.impedimentId} from assignments
      where project_id = ${projectId} order by name limit 25`)
    await hosts.database.query(sql`
      insert into appointments (id, assignment_id, user_id, keep_date, amount_hours, description)
      select gen_random_uuid(), id, user_id, ${mondayOf(today())}::date at time zone 'UTC', 2, 'Noted'
      from assignments where project_id = ${projectId} order by id limit 200`)
  }
  const { projectId, first } = await madeOf('Five hundred cards', 500)
  const { projectId: largeId } = await madeOf('Five thousand cards', 5000)
  return {
    projectId,
    largeId,
    login: administrator.login,
    assignment: { id: first, name: `${subjects[0]} 0` },
  }
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
