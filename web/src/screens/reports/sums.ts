import type { AssignmentsReport, HoursReport } from '#tracker-client'
import { withoutBlanks } from '../../api/api.ts'
import type { Text } from '../../texts/text.ts'
import { addDays, dateOf, formatOf, formatWeek } from '../../time/days.ts'
import type { Period } from './periods.ts'

export type Entity = 'project' | 'person' | 'organization' | 'type'
export type Grouping = Entity | 'week' | 'month'

/** The groupings of sums. */
export const groupings: readonly {
  readonly name: Grouping
  readonly label: Text
  readonly isTime?: boolean
}[] = [
  { name: 'project', label: 'Project' },
  { name: 'person', label: 'Person' },
  { name: 'organization', label: 'Organization' },
  { name: 'type', label: 'Type' },
  { name: 'week', label: 'Week', isTime: true },
  { name: 'month', label: 'Month', isTime: true },
]

export interface Wanted {
  readonly by: Entity
  readonly second: Grouping | undefined
  readonly period: Period
  /** Filters by their names in the API. */
  readonly filters: Readonly<Record<FilterName, string>>
}

export const filterNames = ['projectId', 'userId', 'organizationId', 'assignmentTypeId'] as const
export type FilterName = (typeof filterNames)[number]

export function parseWanted(query: URLSearchParams, period: Period): Wanted {
  const find = (key: string) => groupings.find(({ name }) => name === query.get(key))
  const by = find('by')
  const second = find('second')?.name
  const first = by === undefined || by.isTime ? 'project' : (by.name as Entity)
  return {
    by: first,
    second: second === first ? undefined : second,
    period,
    filters: Object.fromEntries(
      filterNames.map((name) => [name, query.get(name) ?? '']),
    ) as Wanted['filters'],
  }
}

/** Asks for the hours recorded in the period. */
export const queryOfHours = ({ by, second, period, filters }: Wanted) =>
  withoutBlanks({
    groupBy: second === undefined ? by : `${by},${second}`,
    dateFrom: period.from,
    dateTo: addDays(period.to, 1),
    ...filters,
  })

/** Asks for everything without a period, to compare hours with the estimates. */
export const queryOfWhole = ({ by, filters }: Wanted) => withoutBlanks({ groupBy: by, ...filters })

type HoursGroup = HoursReport['result']['groups'][number]
type PlannedGroup = AssignmentsReport['result']['groups'][number]

export interface SumRow {
  readonly id: string
  /** Null if the user may not see the name. */
  readonly name: string | null
  /** The value of the second grouping. */
  readonly second: string | null | undefined
  readonly hours: number
  readonly entries: number
  /** All recorded and all planned hours; undefined with two groupings. */
  readonly recorded: number | undefined
  readonly planned: number | undefined
}

export interface Whole {
  readonly hours: readonly HoursGroup[]
  readonly assignments: readonly PlannedGroup[]
}

/** Groups with hours in the period, and optionally those that only have a plan, sorted by hours. */
export function sumRowsOf(
  { by, second }: Pick<Wanted, 'by' | 'second'>,
  inPeriod: readonly HoursGroup[],
  whole: Whole | undefined,
  hasAll: boolean,
): SumRow[] {
  const [recorded, planned] = [byGroup(whole?.hours ?? [], by), byGroup(whole?.assignments ?? [], by)]
  const rows = inPeriod.map((group): SumRow => {
    const { id = '', name = null } = group[by] ?? {}
    return {
      id,
      name,
      second: second && secondOf(group, second),
      hours: group.hours,
      entries: group.appointments,
      recorded: second === undefined ? recorded.get(id)?.hours : undefined,
      planned: second === undefined && whole ? (planned.get(id)?.plannedHours ?? 0) : undefined,
    }
  })
  const others = [...planned.values(), ...recorded.values()].flatMap((group): SumRow[] => {
    const { id, name } = group[by] ?? { id: '', name: null }
    if (!hasAll || second !== undefined || rows.some((row) => row.id === id)) return []
    return [
      {
        id,
        name,
        second: undefined,
        hours: 0,
        entries: 0,
        recorded: recorded.get(id)?.hours ?? 0,
        planned: planned.get(id)?.plannedHours ?? 0,
      },
    ]
  })
  const unique = new Map(others.map((row) => [row.id, row]))
  return [...rows, ...unique.values()].sort(second === undefined ? mostFirst : byName)
}

/** Returns whether the response belongs to the chosen grouping. */
export const isGroupedBy = (
  { by, second }: { readonly by: Entity; readonly second?: Grouping | undefined },
  groups: readonly HoursGroup[],
): boolean => groups.every((group) => group[by] !== undefined && (!second || group[second] !== undefined))

const byGroup = <Group extends Partial<Record<Entity, { readonly id: string }>>>(
  groups: readonly Group[],
  by: Entity,
) => new Map(groups.map((group) => [group[by]?.id ?? '', group]))

function secondOf(group: HoursGroup, second: Grouping): string | null {
  if (second === 'week') return formatWeek(group.week ?? '')
  if (second === 'month') return formatOf('month').format(dateOf(`${group.month}-01`))
  return group[second]?.name ?? null
}

const mostFirst = (a: SumRow, b: SumRow): number => b.hours - a.hours || byName(a, b)
const byName = (a: SumRow, b: SumRow): number => (a.name ?? '').localeCompare(b.name ?? '')
