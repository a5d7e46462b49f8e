import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import type { BrowserSetup } from '../../test/browser/support/browser-setup.ts'
import { addDays, mondayOf, today } from '../../web/src/time/days.ts'

export interface PictureScene {
  readonly projectId: string
  /** An assignment with hours, a second person, a comment and an impediment. */
  readonly openId: string
}

interface Planned {
  readonly name: string
  readonly stage: 'Backlog' | 'Doing' | 'Review' | 'Done'
  readonly type: string
  /** An index of the people of the scene. */
  readonly who: number
  /** Days from this Monday. */
  readonly from: number
  readonly to: number
  readonly hours: number
}

const relaunch: readonly Planned[] = [
  { name: 'Write the imprint', stage: 'Backlog', type: 'Chore', who: 0, from: 8, to: 10, hours: 1 },
  { name: 'Photos of the new office', stage: 'Backlog', type: 'Design', who: 3, from: 9, to: 11, hours: 6 },
  {
    name: 'Redirect every old address',
    stage: 'Backlog',
    type: 'Feature',
    who: 2,
    from: 7,
    to: 11,
    hours: 12,
  },
  {
    name: 'Test with a screen reader',
    stage: 'Backlog',
    type: 'Research',
    who: 4,
    from: 14,
    to: 16,
    hours: 8,
  },
  { name: 'Go live', stage: 'Backlog', type: 'Feature', who: 0, from: 18, to: 18, hours: 4 },
  { name: 'Contact form loses umlauts', stage: 'Doing', type: 'Bug', who: 2, from: 0, to: 8, hours: 6 },
  { name: 'Texts of the team page', stage: 'Doing', type: 'Design', who: 3, from: -2, to: 4, hours: 20 },
  {
    name: 'Search that forgives typing errors',
    stage: 'Doing',
    type: 'Feature',
    who: 4,
    from: 1,
    to: 9,
    hours: 24,
  },
  { name: 'Design the new start page', stage: 'Review', type: 'Design', who: 1, from: -3, to: 7, hours: 40 },
  {
    name: 'Colours with enough contrast',
    stage: 'Review',
    type: 'Design',
    who: 1,
    from: 1,
    to: 3,
    hours: 14,
  },
  {
    name: 'Collect the pages worth keeping',
    stage: 'Done',
    type: 'Research',
    who: 1,
    from: -9,
    to: -4,
    hours: 6,
  },
  { name: 'Choose where it is hosted', stage: 'Done', type: 'Research', who: 2, from: -12, to: -6, hours: 5 },
  { name: 'Offer, second version', stage: 'Done', type: 'Chore', who: 0, from: -14, to: -10, hours: 3 },
]

const portal: readonly Planned[] = [
  {
    name: 'Ask which records may be shown',
    stage: 'Doing',
    type: 'Research',
    who: 0,
    from: -1,
    to: 4,
    hours: 4,
  },
  {
    name: 'Letter to the data protection officer',
    stage: 'Backlog',
    type: 'Chore',
    who: 0,
    from: 2,
    to: 3,
    hours: 2,
  },
  {
    name: 'Sign-in with the insurance card',
    stage: 'Backlog',
    type: 'Feature',
    who: 4,
    from: 7,
    to: 18,
    hours: 60,
  },
  { name: 'First click-through', stage: 'Doing', type: 'Design', who: 1, from: -7, to: 8, hours: 28 },
]

/** The assignment that is open in some pictures. */
export const openName = 'Contact form loses umlauts'

type Ids = ReadonlyMap<string, string>
type Person = BrowserSetup['workspace']['mara']

/** Creates the projects of a small studio with two customers, in the middle of a week. */
export async function makePictureScene({ hosts, workspace }: BrowserSetup): Promise<PictureScene> {
  const { make, change, administrator, mara, jonas, projectId, assignment } = workspace
  const tomas = await workspace.join('Tomás Silva')
  const people = [administrator, mara, jonas, await workspace.join('Aisha Bello'), tomas]
  const clinic = await make('organization', { name: 'Harbour Clinic', description: 'Customer since 2024.' })
  const portalProject = await make('project', { name: 'Patient portal', organizationId: clinic.id })
  await make('userProject', { projectId, userId: administrator.id })
  for (const { id: userId } of [administrator, mara, tomas])
    await make('userProject', { projectId: portalProject.id, userId })
  const ids = await plan(workspace, people, [
    ...relaunch.map((planned) => ({ ...planned, projectId })),
    ...portal.map((planned) => ({ ...planned, projectId: portalProject.id })),
  ])
  await recordTime(workspace, people, ids)
  const openId = ids.get(openName) ?? ''
  const { id: impedimentId } = await make('impediment', { name: 'Missing access' })
  const description = 'Waiting for the gateway password'
  await make('assignmentImpediment', { assignmentId: openId, impedimentId, description })
  await make('assignmentImpediment', {
    assignmentId: ids.get('First click-through'),
    impedimentId: workspace.impedimentId,
  })
  await make('userAssignment', { assignmentId: openId, userId: mara.id })
  await change('DELETE', 'assignment', { ids: [await assignment('Newsletter of the old site')] })
  await decorate(hosts.database, workspace, ids)
  await notify(hosts.database, workspace, people, ids)
  // The administrator has made all records, but people write their comments and record their hours themselves.
  await hosts.database.query(sql`update history set caller = (fields ->> 'user_id')::uuid
    where resource in ('appointment', 'comment') and action = 'create'`)
  return { projectId, openId }
}

/** Fills the inbox of the person in the pictures. All changes of the scene are theirs, so they cause no notifications. */
async function notify(
  database: Database,
  { make, administrator }: BrowserSetup['workspace'],
  people: readonly Person[],
  ids: Ids,
): Promise<void> {
  for (const [hoursAgo, kind, name, who, { isRead = false, text = '' } = {}] of notifications) {
    const assignmentId = ids.get(name)
    const actorId = who === undefined ? null : people[who]?.id
    const comment = text && (await make('comment', { text, assignmentId, userId: actorId }))
    const at = new Date(Date.now() - hoursAgo * 3_600_000)
    await database.query(sql`
      insert into notifications (user_id, kind, assignment_id, comment_id, workflow_id, actor_id, cause, at, read_at)
      select ${administrator.id}, ${kind}, id, ${comment ? comment.id : null}, workflow_id, ${actorId}, ${`${hoursAgo}`}, ${at},
        ${isRead ? at : null} from assignments where id = ${assignmentId}`)
  }
}

type Notified = readonly [
  hoursAgo: number,
  kind: string,
  name: string,
  who?: number | undefined,
  more?: { readonly isRead?: boolean; readonly text?: string },
]

const notifications: readonly Notified[] = [
  [
    0.1,
    'commented',
    openName,
    2,
    { text: 'The gateway wants Latin-1. I ask for the password of the test account.' },
  ],
  [0.4, 'mentioned', 'Texts of the team page', 3, { text: 'Is the second paragraph short enough?' }],
  [0.5, 'assigned', 'Write the imprint', 1],
  [0.9, 'blocked', 'First click-through', 1, { isRead: true }],
  [1, 'stageChanged', 'First click-through', 1, { isRead: true }],
  [25, 'stageChanged', 'Design the new start page', 1],
  [26, 'overdue', 'Letter to the data protection officer', undefined, { isRead: true }],
  [29, 'commented', 'Colours with enough contrast', 4, { isRead: true, text: 'All of them pass now.' }],
  [50, 'dependencyDone', 'Go live', 4, { isRead: true }],
  [53, 'dueTomorrow', 'Ask which records may be shown', undefined, { isRead: true }],
]

async function plan(
  { make, change, get, assignment, stages, typeId }: BrowserSetup['workspace'],
  people: readonly Person[],
  all: readonly (Planned & { readonly projectId: string })[],
): Promise<Ids> {
  await change('PATCH', 'workflow', { ...(await get('workflow', stages.Done ?? '')), order: 3 })
  const review = await make('workflow', { name: 'Review', order: 2 })
  const types: Record<string, string> = { Feature: typeId }
  for (const name of ['Bug', 'Chore', 'Design', 'Research'])
    types[name] = (await make('assignmentType', { name })).id
  const ids = new Map<string, string>()
  for (const { name, stage, type, who, from, to, hours, projectId } of all)
    ids.set(
      name,
      await assignment(name, {
        projectId,
        workflowId: stage === 'Review' ? review.id : stages[stage],
        assignmentTypeId: types[type],
        userId: people[who]?.id,
        startDate: addDays(monday, from),
        endDate: addDays(monday, to),
        amountHours: hours,
      }),
    )
  return ids
}

/** Adds keys, priorities, labels and a dependency, which cards and lists show. */
async function decorate(
  database: Database,
  { make, projectId }: BrowserSetup['workspace'],
  ids: Ids,
): Promise<void> {
  await database.query(sql`update projects set key = 'WEB' where id = ${projectId}`)
  for (const [name, priority] of priorities)
    await database.query(sql`update assignments set priority = ${priority} where id = ${ids.get(name)}`)
  for (const [name, color, names] of labels) {
    const { id: labelId } = await make('label', { projectId, name, color })
    for (const assignment of names)
      await make('assignmentLabel', { assignmentId: ids.get(assignment), labelId })
  }
  await make('assignmentDependency', {
    assignmentId: ids.get('Texts of the team page'),
    blockedById: ids.get('Design the new start page'),
  })
}

const priorities: readonly (readonly [name: string, priority: number])[] = [
  [openName, 4],
  ['Go live', 3],
  ['Redirect every old address', 3],
  ['Design the new start page', 3],
  ['Write the imprint', 2],
  ['Texts of the team page', 2],
  ['Search that forgives typing errors', 2],
  ['Colours with enough contrast', 1],
]

const labels: readonly (readonly [name: string, color: string, names: readonly string[]])[] = [
  ['Content', 'blue', ['Write the imprint', 'Texts of the team page', 'Photos of the new office']],
  ['Accessibility', 'purple', ['Test with a screen reader', 'Colours with enough contrast']],
  ['Launch', 'green', ['Go live', 'Redirect every old address', 'Choose where it is hosted']],
  ['Customer', 'amber', [openName, 'Offer, second version', 'Design the new start page']],
]

/** Records hours in the last weeks. Some hours of this week have notes. */
async function recordTime(
  { make }: BrowserSetup['workspace'],
  people: readonly Person[],
  ids: Ids,
): Promise<void> {
  for (const [name, who, day, amountHours, description] of recorded)
    await make('appointment', {
      assignmentId: ids.get(name),
      userId: people[who]?.id,
      keepDate: addDays(monday, day),
      amountHours,
      ...(description && { description }),
    })
}

const monday = mondayOf(today())

type Recorded = readonly [name: string, who: number, day: number, hours: number, note?: string]

const recorded: readonly Recorded[] = [
  [openName, 2, 1, 1.5, 'Reproduced; the mail gateway it is'],
  [openName, 2, 2, 2],
  ['Ask which records may be shown', 0, 0, 1.25, 'Call with Dr. Osei'],
  ['Ask which records may be shown', 0, 1, 0.5],
  ['Letter to the data protection officer', 0, 2, 1.5],
  ['Write the imprint', 0, 2, 0.75],
  ['Offer, second version', 0, -5, 3],
  ['First click-through', 1, 0, 4.5],
  ['First click-through', 1, 2, 3],
  ...[-42, -35, -28, -21, -14, -7, 0].flatMap((week, index): Recorded[] => [
    ['Design the new start page', 1, week + 1, 4 + ((index * 2) % 5)],
    ['Texts of the team page', 3, week + 2, 3 + ((index * 3) % 4)],
    ['Search that forgives typing errors', 4, week + 3, 5 + (index % 4)],
  ]),
]
