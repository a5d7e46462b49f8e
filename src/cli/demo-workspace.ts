import { newId } from '../db/columns.ts'
import { insertRow, type Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import type { Context } from '../records/context.ts'
import { create } from '../records/create.ts'
import { resourceNamed } from '../resources/all.ts'
import { user } from '../resources/user.ts'

/** Seeds a small studio in the middle of its week, so that people who try the program see filled lists. */
export async function seedDemoWorkspace(context: Context, demoAccountId: string): Promise<void> {
  const caller: Caller = { id: demoAccountId, isAdministrator: true }
  const make = async (resource: string, body: Values) =>
    (await create(context, resourceNamed(resource), caller, body)).id
  const makeNamed = async (resource: string, bodies: readonly Values[]) => {
    const made: Record<string, string> = {}
    for (const body of bodies) made[String(body.name)] = await make(resource, body)
    return made
  }
  const people: Record<string, string> = { Demo: demoAccountId, ...(await makeColleagues(context, caller)) }
  const stages = await makeNamed(
    'workflow',
    stageNames.map((name, order) => ({ name, order })),
  )
  const types = await makeNamed(
    'assignmentType',
    typeNames.map((name) => ({ name })),
  )
  const impediments = await makeNamed(
    'impediment',
    impedimentNames.map((name) => ({ name })),
  )
  const organizations = await makeNamed('organization', organizationBodies)
  for (const { name, organization, members, work } of projects) {
    const projectId = await make('project', { name, organizationId: organizations[organization] })
    for (const member of members) await make('userProject', { projectId, userId: people[member] })
    for (const { title, description, stage, type, person, hours, from, days, ...more } of work) {
      const userId = people[person]
      const assignmentId = await make('assignment', {
        name: title,
        description,
        startDate: dayFromNow(from),
        endDate: dayFromNow(from + days),
        amountHours: hours,
        projectId,
        workflowId: stages[stage],
        userId,
        assignmentTypeId: types[type],
      })
      await make('userAssignment', { assignmentId, userId })
      for (const [resource, body] of whatHappened(more, { people, impediments }))
        await make(resource, { assignmentId, userId, ...body })
    }
  }
}

type Ids = Readonly<Record<string, string>>

/** Recorded time, comments and impediments of an assignment, in their order. */
function whatHappened(
  { done = [], said = [], blocked }: Pick<Work, 'done' | 'said' | 'blocked'>,
  { people, impediments }: { readonly people: Ids; readonly impediments: Ids },
): [string, Values][] {
  return [
    ...done.map(([day, amountHours, note]): [string, Values] => [
      'appointment',
      { keepDate: dayFromNow(day), amountHours, description: note },
    ]),
    ...said.map(([author, text]): [string, Values] => ['comment', { userId: people[author], text }]),
    ...(blocked
      ? [
          ['assignmentImpediment', { impedimentId: impediments[blocked[0]], description: blocked[1] }] as [
            string,
            Values,
          ],
        ]
      : []),
  ]
}

/** A colleague cannot sign in until an administrator sets a password: no hash equals this text. */
const noPassword = '!'

async function makeColleagues(context: Context, caller: Caller): Promise<Record<string, string>> {
  const made: Record<string, string> = {}
  for (const [name, login] of colleagues) {
    const values = { id: newId(), name, login, passwordHash: noPassword }
    const { id } = await context.database.transaction((transaction) =>
      insertRow(transaction, user, caller, values),
    )
    made[name] = id
  }
  return made
}

const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const colleagues = [
  ['Mara Lindqvist', 'mara@example.com'],
  ['Jonas Weber', 'jonas@example.com'],
  ['Aisha Khan', 'aisha@example.com'],
] as const

const stageNames = ['Backlog', 'In progress', 'Review', 'Done'] as const
const typeNames = ['Feature', 'Bug', 'Research', 'Chore'] as const
const impedimentNames = ['Waiting for the customer', 'Waiting for another team', 'Missing access'] as const

const organizationBodies = [
  { name: 'Lighthouse Studio', description: 'Our own house: website, tools and the move.' },
  { name: 'Riverside Clinic', description: 'Customer since 2024, contact: Dr. Amara Osei.' },
]

interface Work {
  readonly title: string
  readonly description?: string
  readonly stage: (typeof stageNames)[number]
  readonly type: (typeof typeNames)[number]
  readonly person: string
  readonly hours: number
  /** Days relative to today. */
  readonly from: number
  readonly days: number
  /** Recorded time: days relative to today, hours, a remark. */
  readonly done?: readonly (readonly [number, number, string])[]
  /** Comments: the author, and the Markdown. */
  readonly said?: readonly (readonly [string, string])[]
  readonly blocked?: readonly [impediment: (typeof impedimentNames)[number], note: string]
}

interface Project {
  readonly name: string
  readonly organization: string
  /** Members in addition to the account that creates it. */
  readonly members: readonly string[]
  readonly work: readonly Work[]
}

const projects: readonly Project[] = [
  {
    name: 'Website relaunch',
    organization: 'Lighthouse Studio',
    members: ['Mara Lindqvist', 'Jonas Weber'],
    work: [
      {
        title: 'Collect the pages worth keeping',
        stage: 'Done',
        type: 'Research',
        person: 'Mara Lindqvist',
        hours: 6,
        from: -12,
        days: 4,
        done: [
          [-11, 3.5, 'Read through the statistics'],
          [-9, 2.25, 'List agreed with Jonas'],
        ],
      },
      {
        title: 'Design the new start page',
        description: 'Three drafts, phone first.',
        stage: 'Review',
        type: 'Feature',
        person: 'Mara Lindqvist',
        hours: 16,
        from: -7,
        days: 9,
        done: [
          [-5, 6, 'First two drafts'],
          [-2, 4.5, 'Third draft, after feedback'],
        ],
      },
      {
        title: 'Contact form loses umlauts',
        stage: 'In progress',
        type: 'Bug',
        person: 'Jonas Weber',
        hours: 3,
        from: -1,
        days: 3,
        done: [[-1, 1.5, 'Reproduced; the mail gateway it is']],
        blocked: ['Missing access', 'Waiting for the gateway password'],
        said: [
          ['Mara Lindqvist', 'Only `ü` and `ß`, **not** `ä`. Plan: ask the host for the gateway log.'],
          ['Jonas Weber', 'Asked; answer by tomorrow.'],
        ],
      },
      {
        title: 'Write the imprint',
        stage: 'Backlog',
        type: 'Chore',
        person: 'Demo',
        hours: 1,
        from: 5,
        days: 2,
      },
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
        person: 'Aisha Khan',
        hours: 24,
        from: -6,
        days: 14,
        done: [
          [-4, 7, 'Templates'],
          [-3, 5.75, 'Scheduling'],
          [0, 2, 'Translations'],
        ],
      },
      {
        title: 'Ask which records may be shown',
        stage: 'In progress',
        type: 'Research',
        person: 'Demo',
        hours: 4,
        from: -3,
        days: 7,
        done: [[-2, 1, 'Call with Dr. Osei']],
        blocked: ['Waiting for the customer', 'Legal department answers by Friday'],
      },
      {
        title: 'Sign-in for relatives',
        stage: 'Backlog',
        type: 'Feature',
        person: 'Jonas Weber',
        hours: 0,
        from: 10,
        days: 20,
      },
    ],
  },
]
