import { readStoredJson } from '../../data/stored-json.ts'
import { type ColumnMatching, guessColumns, itemOfRow } from './columns.ts'
import { distinctNames, type ImportedItem, keyOfName, type Source } from './items.ts'
import { type DateOrder, dateOrderOf } from './parse-values.ts'

/** How the texts of a file become values of this project. */
export interface Matching {
  /** Empty where the file has no table. */
  readonly columns: ColumnMatching
  readonly dateOrder: DateOrder
  /** Ids by the keys of names; an empty id leaves the name out. */
  readonly stages: Names
  readonly types: Names
  readonly people: Names
  /** These replace the stage, type or person that a row does not have, or whose name is not matched. */
  readonly defaultStage: string
  readonly defaultType: string
  readonly defaultPerson: string
}

export type Names = Readonly<Record<string, string>>

interface Named {
  readonly id: string
  readonly name: string
}

export interface MatchingTargets {
  readonly stages: readonly Named[]
  readonly types: readonly Named[]
  readonly people: readonly (Named & { readonly login?: string })[]
  readonly ownId: string
}

export const itemsOf = (source: Source, columns: ColumnMatching): readonly ImportedItem[] =>
  source.kind === 'items' ? source.items : source.rows.map((row) => itemOfRow(row, columns))

/** The names in the items that have to be matched. */
export const namesIn = (items: readonly ImportedItem[]) => ({
  stages: distinctNames(items.map(({ stage }) => stage)),
  types: distinctNames(items.map(({ type }) => type)),
  people: distinctNames(
    items.flatMap(({ people, comments, work }) => [
      ...people,
      ...comments.map(({ author }) => author),
      ...work.map(({ person }) => person),
    ]),
  ),
})

export const datesIn = (items: readonly ImportedItem[]): readonly string[] =>
  items.flatMap(({ start, end }) => [start, end])

/** Matches what has the same name here, or was matched in the last import of this project. */
export function guessMatching(
  source: Source,
  targets: MatchingTargets,
  remembered: Partial<Matching>,
  dateOrderDefault: DateOrder,
): Matching {
  const hasSameColumns = source.kind === 'table' && remembered.columns?.length === source.header.length
  const columns =
    source.kind === 'items' ? [] : hasSameColumns ? (remembered.columns ?? []) : guessColumns(source.header)
  const items = itemsOf(source, columns)
  const names = namesIn(items)
  const { stages, types, people, ownId } = targets
  return {
    columns,
    dateOrder: dateOrderOf(datesIn(items)) ?? remembered.dateOrder ?? dateOrderDefault,
    stages: matchNames(names.stages, stages, remembered.stages),
    types: matchNames(names.types, types, remembered.types),
    people: matchNames(names.people, people, remembered.people),
    defaultStage: knownId(stages, remembered.defaultStage) ?? stages[0]?.id ?? '',
    defaultType: knownId(types, remembered.defaultType) ?? types[0]?.id ?? '',
    defaultPerson: knownId(people, remembered.defaultPerson) ?? ownId,
  }
}

const knownId = (targets: readonly Named[], id: string | undefined): string | undefined =>
  targets.find((target) => target.id === id)?.id

/** Words for the same stage in other tools. */
const synonyms: readonly (readonly string[])[] = [
  ['backlog', 'to do', 'todo', 'to-do', 'open', 'new', 'a fazer'],
  ['doing', 'in progress', 'started', 'em andamento', 'fazendo'],
  ['review', 'in review', 'testing', 'em revisão'],
  ['done', 'closed', 'resolved', 'complete', 'completed', 'finished', 'feito', 'concluído'],
]

/** Names of people are also matched by their login. Adds every name, with an empty id if nothing matches. */
function matchNames(
  names: readonly string[],
  targets: readonly (Named & { readonly login?: string })[],
  remembered: Names = {},
): Names {
  const idOf = (name: string) => {
    const key = keyOfName(name)
    const words = synonyms.find((group) => group.includes(key)) ?? [key]
    return (
      knownId(targets, remembered[key]) ??
      targets.find((target) => keyOfName(target.name) === key || keyOfName(target.login ?? '') === key)?.id ??
      targets.find((target) => words.includes(keyOfName(target.name)))?.id ??
      ''
    )
  }
  return Object.fromEntries(names.map((name) => [keyOfName(name), idOf(name)]))
}

const storageKey = (projectId: string) => `tracker.import-matching.${projectId}`

export const rememberedMatching = (projectId: string): Partial<Matching> =>
  readStoredJson(storageKey(projectId)) ?? {}

/** Keeps what was matched before: a later file may lack some of the names. */
export function rememberMatching(projectId: string, matching: Matching): void {
  const before = rememberedMatching(projectId)
  const merged = {
    ...matching,
    stages: { ...before.stages, ...matching.stages },
    types: { ...before.types, ...matching.types },
    people: { ...before.people, ...matching.people },
  }
  localStorage.setItem(storageKey(projectId), JSON.stringify(merged))
}
