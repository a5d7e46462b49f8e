import type { AssignmentsReport, HoursReport } from '#tracker-client'
import { withoutBlanks } from '../../api/api.ts'
import type { MessageKey } from '../../texts/text.ts'
import { addDays, dateFormat, dateOf, formatWeek } from '../../time/days.ts'
import type { Period } from './periods.ts'

export type Entity = 'project' | 'person' | 'organization' | 'type'
export type Grouping = Entity | 'week' | 'month'

export const groupings: readonly {
  readonly name: Grouping
  readonly label: MessageKey
  readonly isTime?: boolean
}[] = [
  { name: 'project', label: 'Project' },
  { name: 'person', label: 'Person' },
  { name: 'organization', label: 'Organization' },
  { name: 'type', label: 'Type' },
  { name: 'week', label: 'Week', isTime: true },
  { name: 'month', label: 'Month', isTime: true },
]

export interface SumsQuery {
  readonly by: Entity
  readonly thenBy: Grouping | undefined
  readonly period: Period
  /** The filters, by their names in the API. */
  readonly filters: Readonly<Record<FilterName, string>>
}

export const filterNames = ['projectId', 'userId', 'organizationId', 'assignmentTypeId'] as const
export type FilterName = (typeof filterNames)[number]

export function parseSumsQuery(query: URLSearchParams, period: Period): SumsQuery {
  const findGrouping = (key: string) => groupings.find(({ name }) => name === query.get(key))
  const by = findGrouping('by')
  const thenBy = findGrouping('second')?.name
  const first = by === undefined || by.isTime ? 'project' : (by.name as Entity)
  return {
    by: first,
    thenBy: thenBy === first ? undefined : thenBy,
    period,
    filters: Object.fromEntries(
      filterNames.map((name) => [name, query.get(name) ?? '']),
    ) as SumsQuery['filters'],
  }
}

/**
 * Returns the API's query for the hours in the period. The API excludes `dateTo`, which is therefore a day
 * later.
 */
export const queryOfHours = ({ by, thenBy, period, filters }: SumsQuery) =>
  withoutBlanks({
    groupBy: thenBy === undefined ? by : `${by},${thenBy}`,
    dateFrom: period.from,
    dateTo: addDays(period.to, 1),
    ...filters,
  })

/** Returns the API's query without a period, for comparing all recorded hours with the estimates. */
export const queryOfAllTime = ({ by, filters }: SumsQuery) => withoutBlanks({ groupBy: by, ...filters })

type HoursGroup = HoursReport['result']['groups'][number]
type PlannedGroup = AssignmentsReport['result']['groups'][number]

export interface SumRow {
  readonly id: string
  /** Null if the user may not see the name. */
  readonly name: string | null
  /** The name of the group of the second grouping. */
  readonly thenByName: string | null | undefined
  readonly hours: number
  readonly entries: number
  /** The recorded hours of all time. Undefined with two groupings, or until they are loaded. */
  readonly recorded: number | undefined
  /** The planned hours of all time. Undefined with two groupings, or until they are loaded. */
  readonly planned: number | undefined
}

export interface AllTime {
  readonly hours: readonly HoursGroup[]
  readonly assignments: readonly PlannedGroup[]
}

/** Returns the groups with hours in the period, and optionally those without. */
export function sumRowsOf(
  { by, thenBy }: Pick<SumsQuery, 'by' | 'thenBy'>,
  inPeriod: readonly HoursGroup[],
  allTime: AllTime | undefined,
  includesWithoutHours: boolean,
): SumRow[] {
  const recorded = byGroup(allTime?.hours ?? [], by)
  const planned = byGroup(allTime?.assignments ?? [], by)
  const rows = inPeriod.map((group): SumRow => {
    const { id = '', name = null } = group[by] ?? {}
    return {
      id,
      name,
      thenByName: thenBy && groupNameOf(group, thenBy),
      hours: group.hours,
      entries: group.appointments,
      recorded: thenBy === undefined ? recorded.get(id)?.hours : undefined,
      planned: thenBy === undefined && allTime ? (planned.get(id)?.plannedHours ?? 0) : undefined,
    }
  })
  const rowsWithoutHours = [...planned.values(), ...recorded.values()].flatMap((group): SumRow[] => {
    const { id, name } = group[by] ?? { id: '', name: null }
    if (!includesWithoutHours || thenBy !== undefined || rows.some((row) => row.id === id)) return []
    return [
      {
        id,
        name,
        thenByName: undefined,
        hours: 0,
        entries: 0,
        recorded: recorded.get(id)?.hours ?? 0,
        planned: planned.get(id)?.plannedHours ?? 0,
      },
    ]
  })
  const unique = new Map(rowsWithoutHours.map((row) => [row.id, row]))
  return [...rows, ...unique.values()].sort(thenBy === undefined ? byHours : byName)
}

/** Returns whether the groups have this grouping. A stale result may have a different grouping. */
export const isGroupedBy = (
  { by, thenBy }: { readonly by: Entity; readonly thenBy?: Grouping | undefined },
  groups: readonly HoursGroup[],
): boolean => groups.every((group) => group[by] !== undefined && (!thenBy || group[thenBy] !== undefined))

const byGroup = <Group extends Partial<Record<Entity, { readonly id: string }>>>(
  groups: readonly Group[],
  by: Entity,
) => new Map(groups.map((group) => [group[by]?.id ?? '', group]))

function groupNameOf(group: HoursGroup, grouping: Grouping): string | null {
  if (grouping === 'week') return formatWeek(group.week ?? '')
  if (grouping === 'month') return dateFormat('month').format(dateOf(`${group.month}-01`))
  return group[grouping]?.name ?? null
}

const byHours = (a: SumRow, b: SumRow): number => b.hours - a.hours || byName(a, b)
const byName = (a: SumRow, b: SumRow): number => (a.name ?? '').localeCompare(b.name ?? '')
