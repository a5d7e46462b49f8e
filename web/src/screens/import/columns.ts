import type { MessageKey } from '../../texts/text.ts'
import {
  type ImportedComment,
  type ImportedItem,
  type ImportedWork,
  keyOfName,
  type Row,
  splitNames,
} from './items.ts'

interface ColumnField {
  readonly name: string
  readonly label: MessageKey
  /** Headers, in lower case, that mean this field in this tracker, in Jira and in other tools. */
  readonly headers: readonly string[]
}

/** The fields that a column of a table can be read as. */
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
    headers: ['planned hours', 'amounthours', 'estimate', 'hours', 'horas planejadas', 'estimativa', 'horas'],
  },
  { name: 'estimateSeconds', label: 'Planned time in seconds', headers: ['original estimate'] },
  {
    name: 'responsible',
    label: 'Responsible',
    headers: ['responsible', 'assignee', 'assigned to', 'owner', 'user', 'responsável'],
  },
  {
    name: 'participants',
    label: 'Also working on it',
    headers: ['participants', 'members', 'collaborators', 'participantes', 'membros'],
  },
  { name: 'labels', label: 'Labels', headers: ['labels', 'label', 'tags', 'tag', 'etiquetas', 'rótulos'] },
  { name: 'comment', label: 'Comment', headers: ['comment', 'comments', 'comentário', 'comentários'] },
  {
    name: 'recordedHours',
    label: 'Recorded hours',
    headers: ['recorded hours', 'time spent (hours)', 'horas registradas'],
  },
  { name: 'worklog', label: 'Work log of Jira', headers: ['log work'] },
  {
    name: 'reference',
    label: 'Key in the other tool',
    headers: ['issue key', 'key', 'id', 'short id', 'chave'],
  },
] as const satisfies readonly ColumnField[]

export type ColumnName = (typeof columnFields)[number]['name']

/** The field of each column; undefined for a column that is left out. */
export type ColumnMatching = readonly (ColumnName | undefined)[]

/** These may be the field of several columns. */
const repeatable: readonly ColumnName[] = ['participants', 'labels', 'comment', 'worklog', 'description']

/** Matches columns by their headers. A field that can have one value takes the first column with its most usual header. */
export function guessColumns(header: readonly string[]): ColumnMatching {
  const keys = header.map(keyOfName)
  const guessed: (ColumnName | undefined)[] = header.map(() => undefined)
  for (const { name, headers } of columnFields) {
    const matching = (headers as readonly string[]).flatMap((word) =>
      keys.flatMap((key, index) => (key === word && guessed[index] === undefined ? [index] : [])),
    )
    for (const index of repeatable.includes(name) ? matching : matching.slice(0, 1)) guessed[index] = name
  }
  return guessed
}

/** Returns the fields that are matched to more columns than they can have. */
export const fieldsMatchedTwice = (matching: ColumnMatching): readonly ColumnName[] => [
  ...new Set(
    matching.filter(
      (name, index): name is ColumnName =>
        name !== undefined && !repeatable.includes(name) && matching.indexOf(name) !== index,
    ),
  ),
]

export function itemOfRow({ line, cells }: Row, matching: ColumnMatching): ImportedItem {
  const all = (name: ColumnName) => cells.filter((cell, index) => matching[index] === name && cell !== '')
  const one = (name: ColumnName) => all(name)[0] ?? ''
  const seconds = one('estimateSeconds')
  const reference = one('reference')
  const recordedHours = one('recordedHours')
  return {
    line,
    name: one('name'),
    description: [...all('description'), ...(reference === '' ? [] : [`(${reference})`])].join('\n\n'),
    stage: one('stage'),
    type: one('type'),
    priority: one('priority'),
    start: one('start'),
    end: one('end'),
    estimate: one('estimate') || (seconds === '' ? '' : hoursOfSeconds(seconds)),
    people: [one('responsible'), ...all('participants').flatMap(splitNames)].filter((name) => name !== ''),
    labels: all('labels').flatMap(splitNames),
    comments: all('comment').map(commentOf),
    work: [
      ...all('worklog').map(workOf),
      ...(recordedHours === '' ? [] : [{ person: '', date: '', hours: recordedHours, text: '' }]),
    ],
  }
}

/** Jira writes a comment as `03/Jan/25 10:22 AM;ann;Text`. */
function commentOf(cell: string): ImportedComment {
  const [, date = '', author = '', text] = /^(\d[^;\n]{5,25});([^;\n]*);([\s\S]*)$/.exec(cell) ?? []
  return text === undefined ? { author: '', date: '', text: cell } : { author, date, text: text.trim() }
}

/** Jira writes time spent as `Text;03/Jan/25 10:22 AM;ann;3600`. */
function workOf(cell: string): ImportedWork {
  const [, text = '', date = '', person = '', seconds] = /^([\s\S]*);([^;]*);([^;]*);(\d+)$/.exec(cell) ?? []
  return seconds === undefined
    ? { person: '', date: '', hours: cell, text: '' }
    : { person, date, hours: hoursOfSeconds(seconds), text: text.trim() }
}

/** Converts seconds to hours. Other texts stay as they are, so that parsing reports them. */
const hoursOfSeconds = (seconds: string): string =>
  /^\d+$/.test(seconds) ? String(Math.round(Number(seconds) / 36) / 100) : seconds
