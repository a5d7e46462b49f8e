import type { MessageKey } from '../../texts/text.ts'
import {
  type ImportedComment,
  type ImportedItem,
  type ImportedWork,
  normalizeName,
  type Row,
  splitNames,
} from './items.ts'

interface ColumnField {
  readonly name: string
  readonly label: MessageKey
  /**
   * Headers of this field, in lower case, in this tracker, in Jira and in other tools. If a file has several
   * of them, a field with a single value is read from the one that comes first here.
   */
  readonly headers: readonly string[]
}

/** The fields that a column of a table can be mapped to. */
export const columnFields = [
  {
    name: 'name',
    label: 'Name',
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

/** The field of each column, by its position; undefined for a column that is left out. */
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

/**
 * Converts seconds to hundredths of an hour, which are 36 seconds. Other texts stay as they are, so that
 * parsing reports them.
 */
const hoursOfSeconds = (seconds: string): string =>
  /^\d+$/.test(seconds) ? String(Math.round(Number(seconds) / 36) / 100) : seconds
