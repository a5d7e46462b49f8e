import { appointment } from '../../resources/appointment.ts'
import { assignment } from '../../resources/assignment.ts'
import { assignmentType } from '../../resources/assignment-type.ts'
import type { Listed, Resource } from '../../resources/define-resource.ts'
import { organization } from '../../resources/organization.ts'
import { person } from '../../resources/person.ts'
import { project } from '../../resources/project.ts'
import { workflow } from '../../resources/workflow.ts'

/** Sums over the rows of one resource that the reader may see. */
export interface Report {
  readonly name: 'hours' | 'assignments'
  readonly summed: Resource
  /** The moment that dates a row. */
  readonly dated: string
  readonly measures: readonly Measure[]
}

export interface Measure {
  readonly name: string
  /** Summed; without it rows are counted. */
  readonly column?: string
  readonly description: string
}

export const reports: readonly Report[] = [
  {
    name: 'hours',
    summed: appointment,
    dated: 'keepDate',
    measures: [
      { name: 'hours', column: 'amountHours', description: 'Hours booked.' },
      { name: 'appointments', description: 'Appointments that they were booked by.' },
    ],
  },
  {
    name: 'assignments',
    summed: assignment,
    dated: 'startDate',
    measures: [
      { name: 'assignments', description: 'How many there are.' },
      { name: 'plannedHours', column: 'amountHours', description: 'Hours that they are estimated at.' },
    ],
  },
]

/** Where the id that a grouping goes by is found: in the summed row, its assignment, or the project of that. */
export interface EntityGrouping {
  readonly of: 'row' | 'assignment' | 'project'
  readonly column: string
  /** As the reader sees it: by its id, and its name where they may see that. */
  readonly shown: Listed
}

export const entityGroupings = {
  person: { of: 'row', column: 'userId', shown: person },
  project: { of: 'assignment', column: 'projectId', shown: project },
  organization: { of: 'project', column: 'organizationId', shown: organization },
  type: { of: 'assignment', column: 'assignmentTypeId', shown: assignmentType },
  workflow: { of: 'assignment', column: 'workflowId', shown: workflow },
} as const satisfies Readonly<Record<string, EntityGrouping>>

export const timeGroupings = ['week', 'month'] as const

export type Entity = keyof typeof entityGroupings
export type Grouping = Entity | (typeof timeGroupings)[number]

export const groupings: readonly Grouping[] = [
  ...(Object.keys(entityGroupings) as Entity[]),
  ...timeGroupings,
]

export const isTime = (grouping: Grouping): grouping is (typeof timeGroupings)[number] =>
  (timeGroupings as readonly string[]).includes(grouping)

/** Filters by equality, by the same columns. */
export const entityFilters: Readonly<Record<string, EntityGrouping>> = Object.fromEntries(
  Object.values(entityGroupings).map((grouping) => [grouping.column, grouping]),
)
