import { insertRow, newId, type Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import type { colors } from '../model/field-kinds.ts'
import type { Context } from '../records/context.ts'
import { create } from '../records/create.ts'
import { resourceNamed } from '../resources/all.ts'
import { user } from '../resources/user.ts'

/** Creates the projects of a small design studio, so that people who try the program see filled lists. */
export async function seedDemoWorkspace(context: Context, ownerId: string): Promise<void> {
  const caller: Caller = { id: ownerId, isAdministrator: true }
  const createOne = async (resource: string, body: Values) =>
    (await create(context, resourceNamed(resource), caller, body)).id
  const createByName = async (resource: string, bodies: readonly Values[]) => {
    const ids: Record<string, string> = {}
    for (const body of bodies) ids[String(body.name)] = await createOne(resource, body)
    return ids
  }
  const people: Record<string, string> = {
    [demoPerson]: ownerId,
    ...(await createColleagues(context, caller)),
  }
  const stages = await createByName(
    'workflow',
    stageNames.map((name, order) => ({ name, order })),
  )
  const types = await createByName(
    'assignmentType',
    typeNames.map((name) => ({ name })),
  )
  const impediments = await createByName(
    'impediment',
    impedimentNames.map((name) => ({ name })),
  )
  const organizations = await createByName('organization', organizationBodies)
  for (const { name, organization, members, labelColors = {}, work } of projects) {
    const projectId = await createOne('project', { name, organizationId: organizations[organization] })
    const labels = await createByName(
      'label',
      Object.entries(labelColors).map(([name, color]) => ({ name, color, projectId })),
    )
    const assignments: Record<string, string> = {}
    for (const member of members) await createOne('userProject', { projectId, userId: people[member] })
    const ids = { people, stages, types, impediments, labels, assignments }
    for (const item of work) {
      const body = assignmentOf(item, ids)
      const { userId } = body
      const assignmentId = await createOne('assignment', { ...body, projectId })
      assignments[item.title] = assignmentId
      if (item.plan) await createOne('userAssignment', { assignmentId, userId })
      for (const [resource, body] of activityOf(item, ids))
        await createOne(resource, { assignmentId, userId, ...body })
    }
  }
}

type Ids = Readonly<Record<string, string>>
type IdsByKind = Readonly<
  Record<'people' | 'stages' | 'types' | 'impediments' | 'labels' | 'assignments', Ids>
>

/** Without a plan, the dates and the person are placeholders, and flags say so. */
const assignmentOf = (
  { title, description, stage, type, priority, plan, partOf }: Work,
  { people, stages, types, assignments }: IdsByKind,
) => ({
  name: title,
  description,
  startDate: dayFromNow(plan?.from ?? 0),
  endDate: dayFromNow(plan ? plan.from + plan.days : 0),
  isUnscheduled: plan === undefined,
  amountHours: plan?.hours ?? 0,
  workflowId: stages[stage],
  userId: people[plan?.person ?? demoPerson],
  isUnassigned: plan === undefined,
  assignmentTypeId: types[type],
  priority,
  parentId: partOf && assignments[partOf],
})

/** Returns the bodies of the records that belong to an assignment, each with its resource. */
function activityOf(
  { labels = [], blockedBy = [], timeEntries = [], comments = [], impediment }: Activity,
  ids: IdsByKind,
): [resource: string, body: Values][] {
  const bodies: [resource: string, body: Values][] = []
  for (const name of labels) bodies.push(['assignmentLabel', { labelId: ids.labels[name] }])
  for (const title of blockedBy)
    bodies.push(['assignmentDependency', { blockedById: ids.assignments[title] }])
  for (const [day, amountHours, description] of timeEntries)
    bodies.push(['appointment', { keepDate: dayFromNow(day), amountHours, description }])
  for (const [author, text] of comments) bodies.push(['comment', { userId: ids.people[author], text }])
  if (impediment) {
    const [name, description] = impediment
    bodies.push(['assignmentImpediment', { impedimentId: ids.impediments[name], description }])
  }
  return bodies
}

/** Not a hash, so no password matches until an administrator sets one. */
const noPassword = '!'

async function createColleagues(context: Context, caller: Caller): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [name, login] of colleagues) {
    const values = { id: newId(), name, login, passwordHash: noPassword }
    const { id } = await context.database.transaction((transaction) =>
      insertRow(transaction, user, caller, values),
    )
    ids[name] = id
  }
  return ids
}

const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** The name of the demo account in the lists below. */
const demoPerson = 'Demo'

const colleagues = [
  ['Mara Lindqvist', 'mara@example.com'],
  ['Jonas Weber', 'jonas@example.com'],
  ['Aisha Khan', 'aisha@example.com'],
] as const

const stageNames = ['Backlog', 'In progress', 'Review', 'Done'] as const
const typeNames = ['Feature', 'Bug', 'Research', 'Chore'] as const
const impedimentNames = ['Waiting for the customer', 'Waiting for another team', 'Missing access'] as const

const organizationBodies = [
  { name: 'Lighthouse Studio', description: 'Internal: website, tools and the move to the new office.' },
  { name: 'Riverside Clinic', description: 'Customer since 2024, contact: Dr. Amara Osei.' },
]

type Colleague = (typeof colleagues)[number][0]
type Person = typeof demoPerson | Colleague

/** The records that belong to an assignment. */
interface Activity {
  readonly labels?: readonly string[]
  /** The titles of assignments that block it. They must be earlier in the list. */
  readonly blockedBy?: readonly string[]
  /** Days relative to today, hours, and a note. */
  readonly timeEntries?: readonly (readonly [day: number, hours: number, note: string])[]
  /** In Markdown. */
  readonly comments?: readonly (readonly [author: Person, text: string])[]
  readonly impediment?: readonly [name: (typeof impedimentNames)[number], note: string]
}

interface Work extends Activity {
  readonly title: string
  readonly description?: string
  readonly stage: (typeof stageNames)[number]
  readonly type: (typeof typeNames)[number]
  /** The priority, from 1 for low to 4 for urgent. */
  readonly priority?: number
  /** The title of the assignment that it is a part of. It must be earlier in the list. */
  readonly partOf?: string
  /** Undefined for an idea, which has no responsible person and no dates yet. */
  readonly plan?: Plan
}

interface Plan {
  readonly person: Person
  readonly hours: number
  /** The start, in days relative to today. */
  readonly from: number
  /** The duration. */
  readonly days: number
}

interface Project {
  readonly name: string
  readonly organization: string
  /** Members in addition to the demo account. The demo account creates the project. */
  readonly members: readonly Colleague[]
  readonly labelColors?: Readonly<Record<string, (typeof colors)[number]>>
  readonly work: readonly Work[]
}

const projects: readonly Project[] = [
  {
    name: 'Website relaunch',
    organization: 'Lighthouse Studio',
    members: ['Mara Lindqvist', 'Jonas Weber'],
    labelColors: { Design: 'purple', Text: 'teal', Urgent: 'red' },
    work: [
      {
        title: 'Collect the pages worth keeping',
        stage: 'Done',
        type: 'Research',
        plan: { person: 'Mara Lindqvist', hours: 6, from: -12, days: 4 },
        timeEntries: [
          [-11, 3.5, 'Read through the statistics'],
          [-9, 2.25, 'List agreed with Jonas'],
        ],
      },
      {
        title: 'Design the new start page',
        description: 'Three drafts, phone first.',
        labels: ['Design'],
        blockedBy: ['Collect the pages worth keeping'],
        priority: 3,
        stage: 'Review',
        type: 'Feature',
        plan: { person: 'Mara Lindqvist', hours: 16, from: -7, days: 9 },
        timeEntries: [
          [-5, 6, 'First two drafts'],
          [-2, 4.5, 'Third draft, after feedback'],
        ],
      },
      {
        title: 'Contact form loses umlauts',
        labels: ['Text', 'Urgent'],
        priority: 4,
        stage: 'In progress',
        type: 'Bug',
        plan: { person: 'Jonas Weber', hours: 3, from: -1, days: 3 },
        timeEntries: [[-1, 1.5, 'Reproduced: it is the mail gateway']],
        impediment: ['Missing access', 'Waiting for the gateway password'],
        comments: [
          [
            'Mara Lindqvist',
            'Only `ü` and `ß`, **not** `ä`. Plan: ask the hosting provider for the gateway log.',
          ],
          ['Jonas Weber', 'I have asked them; they will answer tomorrow.'],
        ],
      },
      {
        title: 'Write the legal notice',
        labels: ['Text'],
        blockedBy: ['Design the new start page'],
        stage: 'Backlog',
        type: 'Chore',
        plan: { person: demoPerson, hours: 1, from: 5, days: 2 },
      },
      {
        title: 'Photos of the team for the start page',
        partOf: 'Design the new start page',
        stage: 'Backlog',
        type: 'Chore',
        priority: 1,
      },
      { title: 'A newsletter for the opening', stage: 'Backlog', type: 'Feature', labels: ['Text'] },
    ],
  },
  {
    name: 'Patient portal',
    organization: 'Riverside Clinic',
    members: ['Jonas Weber', 'Aisha Khan'],
    work: [
      {
        title: 'Appointment reminders by mail',
        description: 'One day before, in the language of the patient.',
        stage: 'In progress',
        type: 'Feature',
        plan: { person: 'Aisha Khan', hours: 24, from: -6, days: 14 },
        timeEntries: [
          [-4, 7, 'Templates'],
          [-3, 5.75, 'Scheduling'],
          [0, 2, 'Translations'],
        ],
      },
      {
        title: 'Ask which records may be shown',
        stage: 'In progress',
        type: 'Research',
        plan: { person: demoPerson, hours: 4, from: -3, days: 7 },
        timeEntries: [[-2, 1, 'Call with Dr. Osei']],
        impediment: ['Waiting for the customer', 'Legal department answers by Friday'],
      },
      {
        title: 'Sign-in for relatives',
        stage: 'Backlog',
        type: 'Feature',
        plan: { person: 'Jonas Weber', hours: 0, from: 10, days: 20 },
      },
    ],
  },
]
