import { readStoredJson } from '../../services/stored-json.ts'
import { type ColumnMapping, guessColumns, itemOfRow } from './columns.ts'
import { distinctNames, type ImportedItem, keyOfName, type Source } from './items.ts'
import { type DateOrder, dateOrderOf } from './parse-values.ts'

/** The user's choices of what the texts of a file mean in this project. */
export interface Matching {
  /** Empty if the file is not a table. */
  readonly columns: ColumnMapping
  readonly dateOrder: DateOrder
  readonly stages: IdsByName
  readonly types: IdsByName
  readonly people: IdsByName
  /** These replace a stage, type or person that a row does not have, or whose name is not matched. */
  readonly defaultStage: string
  readonly defaultType: string
  /** Empty for nobody. */
  readonly defaultPerson: string
}

/** Ids by the keys of names. A name with an empty id is not matched. */
export type IdsByName = Readonly<Record<string, string>>

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

export const itemsOf = (source: Source, columns: ColumnMapping): readonly ImportedItem[] =>
  source.kind === 'items' ? source.items : source.rows.map((row) => itemOfRow(row, columns))

/** Returns the names in the items that have to be matched. */
export const namesIn = (items: readonly ImportedItem[]) => ({
  stages: distinctNames(items.map(({ stage }) => stage)),
  types: distinctNames(items.map(({ type }) => type)),
  people: distinctNames(items.flatMap(personNamesOf)),
})

const personNamesOf = ({ people, comments, work }: ImportedItem): readonly string[] => [
  ...people,
  ...comments.map(({ author }) => author),
  ...work.map(({ person }) => person),
]

/** Returns whether the item names someone who is not matched. */
export const hasUnmatchedPeople = (item: ImportedItem, { people }: Pick<Matching, 'people'>): boolean =>
  personNamesOf(item).some((name) => name !== '' && !people[keyOfName(name)])

export const datesIn = (items: readonly ImportedItem[]): readonly string[] =>
  items.flatMap(({ start, end }) => [start, end])

/** Matches names that were matched in the last import into this project, or that are the same here. */
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
  const { stages, types, people } = targets
  return {
    columns,
    dateOrder: dateOrderOf(datesIn(items)) ?? remembered.dateOrder ?? dateOrderDefault,
    stages: matchNames(names.stages, stages, remembered.stages),
    types: matchNames(names.types, types, remembered.types),
    people: matchNames(names.people, people, remembered.people),
    defaultStage: knownId(stages, remembered.defaultStage) ?? stages[0]?.id ?? '',
    defaultType: knownId(types, remembered.defaultType) ?? types[0]?.id ?? '',
    defaultPerson: knownId(people, remembered.defaultPerson) ?? '',
  }
}

const knownId = (targets: readonly Named[], id: string | undefined): string | undefined =>
  targets.find((target) => target.id === id)?.id

/** Names of equivalent stages in other tools. */
const synonyms: readonly (readonly string[])[] = [
  ['backlog', 'to do', 'todo', 'to-do', 'open', 'new', 'a fazer'],
  ['doing', 'in progress', 'started', 'em andamento', 'fazendo'],
  ['review', 'in review', 'testing', 'em revisão'],
  ['done', 'closed', 'resolved', 'complete', 'completed', 'finished', 'feito', 'concluído'],
]

/** Matches names, and people also by their logins. A name without a match gets an empty id. */
function matchNames(
  names: readonly string[],
  targets: readonly (Named & { readonly login?: string })[],
  remembered: IdsByName = {},
): IdsByName {
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
