import { capitalize } from '../../model/field.ts'
import { isNullOrBlank, isTimeZone, uuid } from '../../model/field-kinds.ts'
import { collectViolations, type Violations } from '../../model/problem.ts'
import { assignment } from '../../resources/assignment.ts'
import { appointment } from '../../resources/assignment-records.ts'
import { assignmentType, organization, workflow } from '../../resources/catalogs.ts'
import type { ListedResource, Resource } from '../../resources/define-resource.ts'
import { project } from '../../resources/project.ts'
import { person } from '../../resources/user.ts'

/** A chart with more groupings is unreadable. */
export const groupingsMax = 3
export const groupsMax = 1000

/** A report sums over the rows of one resource that the caller may see. */
export interface Report {
  readonly name: 'hours' | 'assignments'
  readonly summed: Resource
  /** The timestamp by which a row belongs to a period. */
  readonly dateColumn: string
  readonly measures: readonly Measure[]
}

export interface Measure {
  readonly name: string
  /** The summed column. Without it rows are counted. */
  readonly column?: string
  readonly description: string
}

export const reports: readonly Report[] = [
  {
    name: 'hours',
    summed: appointment,
    // The day of an appointment.
    dateColumn: 'keepDate',
    measures: [
      { name: 'hours', column: 'amountHours', description: 'The hours booked.' },
      { name: 'appointments', description: 'The number of appointments.' },
    ],
  },
  {
    name: 'assignments',
    summed: assignment,
    dateColumn: 'startDate',
    measures: [
      { name: 'assignments', description: 'The number of assignments.' },
      { name: 'plannedHours', column: 'amountHours', description: 'The estimated hours.' },
    ],
  },
]

/** Groups by an id in the summed row, in its assignment, or in the project of that assignment. */
export interface EntityGrouping {
  readonly source: 'row' | 'assignment' | 'project'
  readonly column: string
  /** The key of the filter by this id, if it is not the name of the column. */
  readonly filter?: string
  /** The resource that the ids refer to. A group is named after the record of its id, if the caller may see it. */
  readonly resource: ListedResource
}

export const entityGroupings = {
  person: { source: 'row', column: 'userId', resource: person },
  project: { source: 'assignment', column: 'projectId', resource: project },
  organization: { source: 'project', column: 'organizationId', resource: organization },
  type: { source: 'assignment', column: 'assignmentTypeId', resource: assignmentType },
  workflow: { source: 'assignment', column: 'workflowId', resource: workflow },
  assignment: { source: 'assignment', column: 'id', filter: 'assignmentId', resource: assignment },
} as const satisfies Readonly<Record<string, EntityGrouping>>

const timeGroupings = ['week', 'month'] as const

export type Entity = keyof typeof entityGroupings
export type Grouping = Entity | (typeof timeGroupings)[number]

export const groupings: readonly Grouping[] = [
  ...(Object.keys(entityGroupings) as Entity[]),
  ...timeGroupings,
]

export const isTimeGrouping = (grouping: Grouping): grouping is (typeof timeGroupings)[number] =>
  (timeGroupings as readonly string[]).includes(grouping)

/** Reports can be filtered by the ids that they can be grouped by. */
export const entityFilters: Readonly<Record<string, EntityGrouping>> = Object.fromEntries(
  Object.values(entityGroupings).map((grouping: EntityGrouping) => [
    grouping.filter ?? grouping.column,
    grouping,
  ]),
)

export interface ReportQuery {
  /** The groupings in the order of the request. The groups are sorted in this order. */
  readonly groupBy: readonly Grouping[]
  /** Days in the time zone, from the first (inclusive) to the second (exclusive). */
  readonly dateFrom: string | undefined
  readonly dateTo: string | undefined
  readonly timeZone: string
  /** Maps a key of `entityFilters` to the wanted id. */
  readonly filters: Readonly<Record<string, string>>
  readonly limit: number
}

const reportKeys = [
  'groupBy',
  'dateFrom',
  'dateTo',
  'timeZone',
  'limit',
  ...Object.keys(entityFilters),
] as const

/**
 * Parses flat query keys and reports all violations at once. An unknown key is rejected, because ignoring it
 * would widen the sums.
 */
export function parseReportQuery(queryValues: Readonly<Record<string, unknown>>): ReportQuery {
  const violations = collectViolations()
  const values = parseValues(queryValues, violations)
  const [dateFrom, dateTo] = ['dateFrom', 'dateTo'].map((key) => parseDay(key, values[key], violations))
  if (dateFrom && dateTo && dateTo < dateFrom)
    violations.add('dateTo', 'DateTo must be on or after DateFrom.')
  const query: ReportQuery = {
    groupBy: parseGroupings(values.groupBy, violations),
    dateFrom,
    dateTo,
    timeZone: parseTimeZone(values.timeZone, violations),
    filters: parseFilters(values, violations),
    limit: parseLimit(values.limit, violations),
  }
  violations.throwIfAny()
  return query
}

type QueryValues = Readonly<Record<string, string>>

function parseValues(queryValues: Readonly<Record<string, unknown>>, violations: Violations): QueryValues {
  const values: Record<string, string> = {}
  for (const [key, value] of Object.entries(queryValues)) {
    if (!reportKeys.includes(key))
      violations.add(key, `Unknown report key ${key}. Valid keys: ${reportKeys.join(', ')}.`)
    else if (Array.isArray(value)) violations.add(key, `${capitalize(key)} must be given once.`)
    else if (isNullOrBlank(value)) violations.add(key, `${capitalize(key)} must not be empty.`)
    else values[key] = String(value).trim()
  }
  return values
}

function parseGroupings(input: string | undefined, violations: Violations): readonly Grouping[] {
  const names = input?.split(',').map((name) => name.trim()) ?? []
  const validGroupings = groupings.filter((grouping) => names.includes(grouping))
  // The lengths differ if a name is unknown or repeated.
  const isValid = names.length === validGroupings.length && names.length >= 1 && names.length <= groupingsMax
  if (!isValid)
    violations.add('groupBy', `GroupBy must name 1 to ${groupingsMax} of ${groupings.join(', ')}, each once.`)
  return names.filter((name): name is Grouping => (validGroupings as readonly string[]).includes(name))
}

/** Parses a day. It is not converted to an instant, because the time zone determines when it begins. */
function parseDay(key: string, input: string | undefined, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  // PostgreSQL has no year 0. `Date` turns a day such as February 30 into a day of March.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(input) && input >= '0001'
  if (isDay && !Number.isNaN(Date.parse(input)) && new Date(input).toISOString().startsWith(input))
    return input
  violations.add(key, `${capitalize(key)} must be a day such as 2026-01-31.`)
  return undefined
}

/**
 * The name must have an area. PostgreSQL reads a short name such as EST as an abbreviation without daylight
 * saving time.
 */
const areaAndCity = /^[A-Za-z_]{1,32}\/[A-Za-z0-9_+/-]{1,64}$/

function parseTimeZone(input: string | undefined, violations: Violations): string {
  if (input === undefined || input === 'UTC') return 'UTC'
  if (!areaAndCity.test(input) || !isTimeZone(input)) violations.add('timeZone', unknownTimeZone)
  return input
}

export const unknownTimeZone = 'TimeZone must be UTC or a name of the IANA database such as Europe/Berlin.'

function parseFilters(values: QueryValues, violations: Violations): Readonly<Record<string, string>> {
  const filters = Object.keys(entityFilters).flatMap((key): [string, string][] => {
    if (values[key] === undefined) return []
    const parsed = uuid.parse(values[key], capitalize(key))
    if ('value' in parsed) return [[key, parsed.value]]
    violations.add(key, ...parsed.problems)
    return []
  })
  return Object.fromEntries(filters)
}

function parseLimit(input: string | undefined, violations: Violations): number {
  if (input === undefined) return groupsMax
  const limit = /^\d{1,9}$/.test(input) ? Number(input) : 0
  if (limit >= 1 && limit <= groupsMax) return limit
  violations.add('limit', `Limit must be a whole number from 1 to ${groupsMax}.`)
  return groupsMax
}
