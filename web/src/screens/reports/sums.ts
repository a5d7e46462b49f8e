import type { AssignmentsReport, HoursReport } from '#tracker-client'
import { withoutBlanks } from '../../api/api.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import {
  addDays,
  addMonths,
  dateFormat,
  dateOf,
  daysInWeek,
  formatWeek,
  isDay,
  mondayOf,
  today,
} from '../../time/days.ts'
import { overOf, roundHours, sumHours } from '../../time/hours.ts'
import { joinCells, localDecimalSeparator } from '../../ui/csv.ts'

/** A period from one day to another, both included. */
interface Period {
  readonly from: string
  readonly to: string
}

interface Preset {
  readonly name: string
  readonly label: MessageKey
  period(today: string): Period
}

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`
const monthsFrom = (first: string, count: number): Period => ({
  from: first,
  to: addDays(addMonths(first, count), -1),
})
const firstOfQuarter = (day: string): string => {
  const month = Number(day.slice(5, 7))
  return `${day.slice(0, 4)}-${String(month - ((month - 1) % 3)).padStart(2, '0')}-01`
}
const weekFrom = (monday: string): Period => ({ from: monday, to: addDays(monday, daysInWeek - 1) })

/** Common periods, so that the user does not have to type days. */
export const presets: readonly Preset[] = [
  { name: 'week', label: 'This week', period: (day) => weekFrom(mondayOf(day)) },
  { name: 'last-week', label: 'Last week', period: (day) => weekFrom(addDays(mondayOf(day), -daysInWeek)) },
  { name: 'month', label: 'This month', period: (day) => monthsFrom(firstOfMonth(day), 1) },
  {
    name: 'last-month',
    label: 'Last month',
    period: (day) => monthsFrom(addMonths(firstOfMonth(day), -1), 1),
  },
  { name: 'quarter', label: 'This quarter', period: (day) => monthsFrom(firstOfQuarter(day), 3) },
  {
    name: 'last-quarter',
    label: 'Last quarter',
    period: (day) => monthsFrom(addMonths(firstOfQuarter(day), -3), 3),
  },
  { name: 'year', label: 'This year', period: (day) => monthsFrom(`${day.slice(0, 4)}-01-01`, 12) },
  {
    name: 'last-year',
    label: 'Last year',
    period: (day) => monthsFrom(`${Number(day.slice(0, 4)) - 1}-01-01`, 12),
  },
]

const defaultPreset = 'month'

/** Parses a preset, or two days in any order, from the URL. */
export function parsePeriod(query: URLSearchParams): Period & { readonly preset: string } {
  const from = query.get('from') ?? ''
  const to = query.get('to') ?? ''
  if (isDay(from) && isDay(to))
    return from <= to ? { from, to, preset: '' } : { from: to, to: from, preset: '' }
  const findPreset = (name: string | null) => presets.find((preset) => preset.name === name)
  const preset = findPreset(query.get('period')) ?? (findPreset(defaultPreset) as Preset)
  return { ...preset.period(today()), preset: preset.name }
}

/** Returns the parameters of a preset. Empty parameters are removed from the URL. */
export const queryOfPreset = (name: string) => ({
  period: name === defaultPreset ? '' : name,
  from: '',
  to: '',
})

type Entity = 'project' | 'person' | 'organization' | 'type'
type Grouping = Entity | 'week' | 'month'

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

/** Returns the query for the hours in the period. The API excludes `dateTo`, so it is a day later. */
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
  readonly left: number
  readonly over: number
}

interface Balance {
  readonly left: number
  readonly over: number
}

export interface AllTime {
  readonly hours: readonly HoursGroup[]
  readonly assignments: readonly PlannedGroup[]
  /** The sums of what is left and over by assignment. Undefined if there are too many assignments. */
  readonly balances?: ReadonlyMap<string, Balance> | undefined
}

const balanceOf = (recorded: number, planned: number): Balance => ({
  left: Math.max(0, roundHours(planned - recorded)),
  over: overOf(recorded, planned),
})

/** Adds what is left and over of each assignment by group. Nothing is left of a done assignment. */
export function balancesOf(
  by: Entity,
  planned: readonly PlannedGroup[],
  recorded: readonly HoursGroup[],
  doneStageIds: ReadonlySet<string>,
): ReadonlyMap<string, Balance> {
  const hoursOf = new Map(recorded.map(({ assignment, hours }) => [assignment?.id, hours]))
  const sum = (parts: readonly Balance[], key: keyof Balance) =>
    sumHours(parts.map((part) => ({ amountHours: part[key] })))
  const groups = Map.groupBy(planned, (part) => part[by]?.id ?? '')
  return new Map(
    [...groups].map(([id, rows]) => {
      const parts = rows.map(({ assignment, workflow, plannedHours }) => {
        const balance = balanceOf(hoursOf.get(assignment?.id) ?? 0, plannedHours)
        return doneStageIds.has(workflow?.id ?? '') ? { ...balance, left: 0 } : balance
      })
      return [id, { left: sum(parts, 'left'), over: sum(parts, 'over') }]
    }),
  )
}

/** Returns the groups with hours in the period, and optionally other groups. */
export function sumRowsOf(
  { by, thenBy }: Pick<SumsQuery, 'by' | 'thenBy'>,
  inPeriod: readonly HoursGroup[],
  allTime: AllTime | undefined,
  includesWithoutHours: boolean,
): SumRow[] {
  const recorded = byGroup(allTime?.hours ?? [], by)
  const planned = byGroup(allTime?.assignments ?? [], by)
  const allTimeOf = (id: string) => {
    const hours = { recorded: recorded.get(id)?.hours ?? 0, planned: planned.get(id)?.plannedHours ?? 0 }
    const { balances } = allTime ?? {}
    const balance = balances
      ? (balances.get(id) ?? { left: 0, over: 0 })
      : balanceOf(hours.recorded, hours.planned)
    return { ...hours, ...balance }
  }
  const unknown = { recorded: undefined, planned: undefined, left: 0, over: 0 }
  const rows = inPeriod.map((group): SumRow => {
    const { id = '', name = null } = group[by] ?? {}
    return {
      id,
      name,
      thenByName: thenBy && groupNameOf(group, thenBy),
      hours: group.hours,
      entries: group.appointments,
      ...(thenBy === undefined && allTime ? allTimeOf(id) : unknown),
    }
  })
  const rowsWithoutHours = [...planned.values(), ...recorded.values()].flatMap((group): SumRow[] => {
    const { id, name } = group[by] ?? { id: '', name: null }
    if (!includesWithoutHours || thenBy !== undefined || rows.some((row) => row.id === id)) return []
    return [{ id, name, thenByName: undefined, hours: 0, entries: 0, ...allTimeOf(id) }]
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

interface CsvFormat {
  labelOf(column: string): string
  /** Returns whether a column has numbers. They are formatted in the language of the user. */
  isNumber(column: string): boolean
  readonly decimalSeparator: string
}

/**
 * Converts the API's CSV into one that spreadsheets open correctly in the user's language. Texts stay as they
 * are, including the apostrophes before formulas.
 */
export function localizeCsv(table: string, { labelOf, isNumber, decimalSeparator }: CsvFormat): string {
  const [header = [], ...lines] = parseLines(table)
  const numbers = header.map(isNumber)
  // Texts are quoted, so any separator is safe.
  const formatCell = (cell: string, column: number) =>
    numbers[column] ? cell.replace('.', decimalSeparator) : cell
  const labels = header.map((name) => `"${labelOf(name).replaceAll('"', '""')}"`)
  return joinCells([labels, ...lines.map((cells) => cells.map(formatCell))], decimalSeparator)
}

/** Splits CSV as defined by RFC 4180. Cells keep their quotes. */
function parseLines(table: string): readonly (readonly string[])[] {
  const lines: string[][] = []
  let cells: string[] = []
  for (const [, cell = '', end] of table.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)) {
    cells.push(cell)
    if (end === ',') continue
    lines.push(cells)
    cells = []
  }
  return lines
}

/** Returns the label of a column of the API. An unknown column keeps its name. */
export function columnLabel(column: string): string {
  if (column === 'hours') return t('Hours')
  if (column === 'appointments') return t('Entries')
  const grouping = groupings.find(({ name }) => name === column)
  if (grouping) return t(grouping.label)
  const idGrouping = groupings.find(({ name }) => `${name}Id` === column)
  return idGrouping ? t('{field} (id)', { field: t(idGrouping.label) }) : column
}

export const hoursCsvFormat = (): CsvFormat => ({
  labelOf: columnLabel,
  isNumber: (column) => column === 'hours',
  decimalSeparator: localDecimalSeparator(),
})
