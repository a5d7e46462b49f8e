import type { MessageKey } from '../../texts/text.ts'
import { addDays, dayOfTimestamp, isDay } from '../../time/days.ts'
import { roundHours } from '../../time/hours.ts'
import {
  type ImportedComment,
  type ImportedItem,
  type ImportedWork,
  normalizeName,
  type Row,
  splitNames,
} from './read-file.ts'

export interface ColumnField {
  readonly name: string
  readonly label: MessageKey
  /** A table without such a column cannot be imported. */
  readonly isRequired?: true
  /**
   * Headers of this field in lower case, in this tracker, Jira and other tools. If a file has several of
   * them, the first in this list is used for a field with a single value.
   */
  readonly headers: readonly string[]
}

/** The fields that a column of a table can be mapped to. */
export const columnFields = [
  {
    name: 'name',
    label: 'Name',
    isRequired: true,
    headers: [
      'name',
      'title',
      'summary',
      'task',
      'task name',
      'subject',
      'assignment',
      'nome',
      'título',
      'tarefa',
      'resumo',
    ],
  },
  {
    name: 'description',
    label: 'Description',
    headers: ['description', 'notes', 'body', 'descrição', 'notas'],
  },
  {
    name: 'stage',
    label: 'Stage',
    headers: [
      'stage',
      'status',
      'state',
      'workflow',
      'list',
      'column',
      'section/column',
      'etapa',
      'situação',
      'lista',
    ],
  },
  { name: 'type', label: 'Type', headers: ['type', 'issue type', 'assignment type', 'tipo'] },
  { name: 'priority', label: 'Priority', headers: ['priority', 'prioridade'] },
  {
    name: 'start',
    label: 'Start',
    headers: ['start', 'start date', 'startdate', 'created', 'created at', 'início'],
  },
  {
    name: 'end',
    label: 'End',
    headers: ['end', 'end date', 'enddate', 'due', 'due date', 'deadline', 'fim', 'prazo', 'vencimento'],
  },
  {
    name: 'estimate',
    label: 'Planned hours',
    headers: [
      'planned hours',
      'planned',
      'amounthours',
      'estimate',
      'hours',
      'horas planejadas',
      'planejado',
      'estimativa',
      'horas',
    ],
  },
  { name: 'estimateSeconds', label: 'Planned time in seconds', headers: ['original estimate'] },
  {
    name: 'responsible',
    label: 'Responsible',
    headers: ['responsible', 'assignee', 'assigned to', 'owner', 'user', 'responsável'],
  },
  {
    name: 'participants',
    label: 'Participants',
    headers: ['participants', 'members', 'collaborators', 'participantes', 'membros'],
  },
  { name: 'labels', label: 'Labels', headers: ['labels', 'label', 'tags', 'tag', 'etiquetas', 'rótulos'] },
  { name: 'comment', label: 'Comment', headers: ['comment', 'comments', 'comentário', 'comentários'] },
  {
    name: 'recordedHours',
    label: 'Recorded hours',
    headers: ['recorded hours', 'time spent (hours)', 'horas registradas'],
  },
  { name: 'worklog', label: 'Jira work log', headers: ['log work'] },
  {
    name: 'reference',
    label: 'Key in the other tool',
    headers: ['issue key', 'key', 'id', 'short id', 'chave'],
  },
] as const satisfies readonly ColumnField[]

export type ColumnName = (typeof columnFields)[number]['name']

/** The fields without a column, of those that need one. */
export const missingFields = (mapping: ColumnMapping): readonly ColumnField[] =>
  columnFields.filter((field) => isRequired(field) && !mapping.includes(field.name))

export const isRequired = (field: ColumnField): boolean => field.isRequired === true

/** The field of each column, by its position. Undefined for a column that is left out. */
export type ColumnMapping = readonly (ColumnName | undefined)[]

/** Several columns may be mapped to these fields. */
const repeatable: readonly ColumnName[] = ['participants', 'labels', 'comment', 'worklog', 'description']

/** Maps each column whose header is known. */
export function guessColumns(header: readonly string[]): ColumnMapping {
  const keys = header.map(normalizeName)
  const mapping: (ColumnName | undefined)[] = header.map(() => undefined)
  for (const { name, headers } of columnFields) {
    const positions = (headers as readonly string[]).flatMap((synonym) =>
      keys.flatMap((key, index) => (key === synonym && mapping[index] === undefined ? [index] : [])),
    )
    for (const index of repeatable.includes(name) ? positions : positions.slice(0, 1)) mapping[index] = name
  }
  return mapping
}

/** Returns the fields with a single value to which several columns are mapped. */
export const fieldsMappedTwice = (mapping: ColumnMapping): readonly ColumnName[] => [
  ...new Set(
    mapping.filter(
      (name, index): name is ColumnName =>
        name !== undefined && !repeatable.includes(name) && mapping.indexOf(name) !== index,
    ),
  ),
]

export function itemOfRow({ line, cells }: Row, mapping: ColumnMapping): ImportedItem {
  const cellsOf = (name: ColumnName) => cells.filter((cell, index) => mapping[index] === name && cell !== '')
  const cellOf = (name: ColumnName) => cellsOf(name)[0] ?? ''
  const seconds = cellOf('estimateSeconds')
  const reference = cellOf('reference')
  const recordedHours = cellOf('recordedHours')
  return {
    line,
    reference,
    name: cellOf('name'),
    description: [...cellsOf('description'), ...(reference === '' ? [] : [`(${reference})`])].join('\n\n'),
    stage: cellOf('stage'),
    type: cellOf('type'),
    priority: cellOf('priority'),
    start: cellOf('start'),
    end: cellOf('end'),
    estimate: cellOf('estimate') || (seconds === '' ? '' : hoursOfSeconds(seconds)),
    people: [cellOf('responsible'), ...cellsOf('participants').flatMap(splitNames)].filter(
      (name) => name !== '',
    ),
    labels: cellsOf('labels').flatMap(splitNames),
    comments: cellsOf('comment').map(commentOf),
    work: [
      ...cellsOf('worklog').map(workOf),
      ...(recordedHours === '' ? [] : [{ person: '', date: '', hours: recordedHours, text: '' }]),
    ],
  }
}

/**
 * Parses a comment in the format of Jira: `03/Jan/25 10:22 AM;ann;Text`. A cell in another format is the text
 * of a comment without author and date.
 */
function commentOf(cell: string): ImportedComment {
  const [, date = '', author = '', text] = /^(\d[^;\n]{5,25});([^;\n]*);([\s\S]*)$/.exec(cell) ?? []
  return text === undefined
    ? { author: '', date: '', text: cell }
    : { author: author.trim(), date, text: text.trim() }
}

/**
 * Parses a work log entry in the format of Jira: `Text;03/Jan/25 10:22 AM;ann;3600`. A cell in another format
 * is a number of hours.
 */
function workOf(cell: string): ImportedWork {
  const [, text = '', date = '', person = '', seconds] = /^([\s\S]*);([^;]*);([^;]*);(\d+)$/.exec(cell) ?? []
  return seconds === undefined
    ? { person: '', date: '', hours: cell, text: '' }
    : { person: person.trim(), date, hours: hoursOfSeconds(seconds), text: text.trim() }
}

/** Converts seconds to hours with two decimals. Other texts are unchanged, so that parsing reports them. */
const hoursOfSeconds = (seconds: string): string =>
  /^\d+$/.test(seconds) ? String(Math.round(Number(seconds) / 36) / 100) : seconds

/** The part that comes first in a date such as 3/4/2026. */
export type DateOrder = 'day' | 'month'

/** The first three letters of the English and Portuguese months. */
const months: readonly (readonly string[])[] = [
  ['jan'],
  ['feb', 'fev'],
  ['mar'],
  ['apr', 'abr'],
  ['may', 'mai'],
  ['jun'],
  ['jul'],
  ['aug', 'ago'],
  ['sep', 'set'],
  ['oct', 'out'],
  ['nov'],
  ['dec', 'dez'],
]

/**
 * Parses a calendar day, and ignores a time after it. A timestamp with a time zone is converted to the user's
 * day. Returns undefined if the text does not begin with a day.
 */
export function parseDay(text: string, order: DateOrder): string | undefined {
  const input = text.trim()
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(input))
    return Number.isNaN(Date.parse(input)) ? undefined : dayOfTimestamp(input)
  const found = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/.exec(input)
  if (found) return dayFrom(found[1], found[2], found[3])
  return parseNumericDay(input, order) ?? parseWrittenDay(input)
}

/** Parses days such as 31/1/2026, 1/31/26 and 31.1.2026. With points, the day always comes first. */
function parseNumericDay(input: string, order: DateOrder): string | undefined {
  const [, first, second, year] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d)(?!\d)/.exec(input) ?? []
  const isDayFirst = order === 'day' || input.includes('.')
  return isDayFirst ? dayFrom(year, second, first) : dayFrom(year, first, second)
}

const writtenDays: readonly RegExp[] = [
  /^(?<day>\d{1,2})[-/ .]+(?:de )?(?<month>[a-z]{3})[a-zç]*\.?[-/ ,]+(?:de )?(?<year>\d{4}|\d\d)(?!\d)/i,
  /^(?<month>[a-z]{3})[a-zç]*\.? (?<day>\d{1,2}),? (?<year>\d{4})/i,
]

/** Parses days such as 31/Jan/26, 31 de janeiro de 2026 and Jan 31, 2026. */
function parseWrittenDay(input: string): string | undefined {
  const groups = writtenDays.map((pattern) => pattern.exec(input)?.groups).find((found) => found)
  const position = months.findIndex((names) => names.includes(groups?.month?.toLowerCase() ?? ''))
  return position < 0 ? undefined : dayFrom(groups?.year, String(position + 1), groups?.day)
}

function dayFrom(year = '', month = '', day = ''): string | undefined {
  const fullYear = year.length === 2 ? `20${year}` : year
  const text = `${fullYear}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // Date.parse reads 30 February as a day in March.
  return isDay(text) && addDays(text, 0) === text ? text : undefined
}

/** Infers the order from a date such as 31/1/2026. Returns undefined if no date is unambiguous. */
export function dateOrderOf(texts: Iterable<string>): DateOrder | undefined {
  for (const text of texts) {
    const [, first, second] = /^(\d{1,2})[-/](\d{1,2})[-/]\d/.exec(text.trim()) ?? []
    if (Number(first) > 12) return 'day'
    if (Number(second) > 12) return 'month'
  }
  return undefined
}

/** Returns whether the texts contain a date whose meaning depends on the order. */
export const hasAmbiguousDates = (texts: readonly string[]): boolean =>
  texts.some((text) => /^\d{1,2}[-/]\d{1,2}[-/]\d/.test(text.trim())) && dateOrderOf(texts) === undefined

/** As in Jira, `2d` means two working days. */
const hoursPerWorkday = 8

/** Hours may have no unit. A number before `m` is not hours, because hours without a unit would take its digits. */
const durationPattern =
  /^(?:(?<days>\d+(?:\.\d+)?)\s*d)?\s*(?:(?<hours>\d+(?:\.\d+)?)\s*(?:h|(?![\d.]*\s*m)))?\s*(?:(?<minutes>\d+)\s*(?:m|min)?)?$/

/** Parses hours such as `4`, `4,5`, `1h30`, `90m`, `2d` and `1d 30m`. Rounds to hundredths. */
export function parseHours(text: string): number | undefined {
  const input = text.trim().toLowerCase().replace(',', '.')
  const groups = input === '' ? undefined : durationPattern.exec(input)?.groups
  if (!groups) return undefined
  const { days = 0, hours = 0, minutes = 0 } = groups
  const total = Number(days) * hoursPerWorkday + Number(hours) + Number(minutes) / 60
  return roundHours(total)
}

/** The names of priorities in this tracker and in other tools, from low to urgent. */
const priorities: readonly (readonly string[])[] = [
  ['low', 'lowest', 'minor', 'trivial', 'baixa', 'p4', '1'],
  ['medium', 'normal', 'média', 'media', 'p3', '2'],
  ['high', 'major', 'alta', 'p2', '3'],
  ['urgent', 'highest', 'critical', 'blocker', 'urgente', 'p1', 'p0', '4'],
]

/** Returns the number of a priority, or undefined if the name is empty or unknown. */
export function parsePriority(text: string): number | undefined {
  const position = priorities.findIndex((names) => names.includes(text.trim().toLowerCase()))
  return position < 0 ? undefined : position + 1
}
