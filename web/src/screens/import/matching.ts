import type { Tracker } from '#tracker-client'
import { loadAll, loadByIds, rowsMax } from '../../api/load-all.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { readStoredJson } from '../../services/browser-storage.ts'
import { useServices } from '../../services/services.ts'
import { type ColumnMapping, type DateOrder, dateOrderOf, guessColumns, itemOfRow } from './cells.ts'
import { distinctNames, type ImportedItem, normalizeName, type Source } from './read-file.ts'

/** The user's choices of what the texts of a file mean in this project. */
export interface Matching {
  /** Empty if the file is not a table. */
  readonly columns: ColumnMapping
  readonly dateOrder: DateOrder
  readonly stages: IdsByName
  readonly types: IdsByName
  readonly people: IdsByName
  /** The defaults apply to rows without a stage, type or person, and to names that are not matched. */
  readonly defaultStage: string
  readonly defaultType: string
  /** Empty if there is no default person. */
  readonly defaultPerson: string
}

/** The choices of earlier imports into a project. */
interface RememberedMatching extends Partial<Matching> {
  /**
   * The headers to which `columns` belongs. Missing if the last file was no table, or in older stored
   * choices.
   */
  readonly header?: readonly string[] | undefined
}

/** Maps normalized names to ids. The id is empty if the name is not matched. */
export type IdsByName = Readonly<Record<string, string>>

interface Named {
  readonly id: string
  readonly name: string
}

export interface MatchingTargets {
  readonly stages: readonly Named[]
  readonly types: readonly Named[]
  readonly people: readonly (Named & { readonly login?: string })[]
}

export const itemsOf = (source: Source, columns: ColumnMapping): readonly ImportedItem[] =>
  source.kind === 'items' ? source.items : source.rows.map((row) => itemOfRow(row, columns))

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
  distinctNames(personNamesOf(item)).some((name) => !people[normalizeName(name)])

export const datesIn = (items: readonly ImportedItem[]): readonly string[] =>
  items.flatMap(({ start, end }) => [start, end])

/**
 * Proposes a matching. It repeats the choices of earlier imports into this project, and otherwise guesses
 * from equal names and synonyms.
 */
export function guessMatching(
  source: Source,
  targets: MatchingTargets,
  remembered: RememberedMatching,
  dateOrderDefault: DateOrder,
): Matching {
  const columns = source.kind === 'items' ? [] : columnsOf(source.header, remembered)
  const items = itemsOf(source, columns)
  const names = namesIn(items)
  const { stages, types, people } = targets
  return {
    columns,
    dateOrder: dateOrderOf(datesIn(items)) ?? remembered.dateOrder ?? dateOrderDefault,
    stages: matchNames(names.stages, stages, remembered.stages, stageSynonyms),
    types: matchNames(names.types, types, remembered.types),
    people: matchNames(names.people, people, remembered.people),
    defaultStage: findId(stages, remembered.defaultStage) ?? stages[0]?.id ?? '',
    defaultType: findId(types, remembered.defaultType) ?? types[0]?.id ?? '',
    defaultPerson: findId(people, remembered.defaultPerson) ?? '',
  }
}

/** Returns the remembered mapping if it belongs to the same headers, and otherwise guesses one. */
const columnsOf = (header: readonly string[], remembered: RememberedMatching): ColumnMapping =>
  remembered.columns && isDeepEqual(remembered.header?.map(normalizeName), header.map(normalizeName))
    ? remembered.columns
    : guessColumns(header)

const isDeepEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const findId = (targets: readonly Named[], id: string | undefined): string | undefined =>
  targets.find((target) => target.id === id)?.id

type Synonyms = readonly (readonly string[])[]

/** Names of the same stage in different tools. */
const stageSynonyms: Synonyms = [
  ['backlog', 'to do', 'todo', 'to-do', 'open', 'new', 'a fazer'],
  ['doing', 'in progress', 'started', 'em andamento', 'fazendo'],
  ['review', 'in review', 'testing', 'em revisão'],
  ['done', 'closed', 'resolved', 'complete', 'completed', 'finished', 'feito', 'concluído'],
]

/** Matches names, and for people also logins. A name without a match gets an empty id. */
function matchNames(
  names: readonly string[],
  targets: readonly (Named & { readonly login?: string })[],
  remembered: IdsByName = {},
  synonyms: Synonyms = [],
): IdsByName {
  const idOf = (name: string) => {
    const key = normalizeName(name)
    const group = synonyms.find((candidates) => candidates.includes(key))
    return (
      findId(targets, remembered[key]) ??
      targets.find((target) => [target.name, target.login ?? ''].map(normalizeName).includes(key))?.id ??
      targets.find((target) => group?.includes(normalizeName(target.name)))?.id ??
      ''
    )
  }
  return Object.fromEntries(names.map((name) => [normalizeName(name), idOf(name)]))
}

const storageKey = (projectId: string) => `tracker.import-matching.${projectId}`

export const rememberedMatching = (projectId: string): RememberedMatching =>
  readStoredJson(storageKey(projectId)) ?? {}

/** Stores the matching. Names of earlier files are kept, because a later file may contain them again. */
export function rememberMatching(projectId: string, source: Source, matching: Matching): void {
  const before = rememberedMatching(projectId)
  const merged: RememberedMatching = {
    ...matching,
    header: source.kind === 'table' ? source.header : undefined,
    stages: { ...before.stages, ...matching.stages },
    types: { ...before.types, ...matching.types },
    people: { ...before.people, ...matching.people },
  }
  localStorage.setItem(storageKey(projectId), JSON.stringify(merged))
}

/** The records of a project with which names in a file are matched. */
export interface ProjectValues extends MatchingTargets {
  /** The id of the user who imports. */
  readonly ownId: string
  /** The ids of labels by normalized name. */
  readonly labels: ReadonlyMap<string, string>
  /** The key of the project, such as MBA in MBA-12. */
  readonly key: string | undefined
}

/** The limit for each catalog, in pages of 100 rows. Further members are not offered. */
const pagesMax = 5

export function useProjectValues(projectId: string) {
  const { api, configuration, people, session } = useServices()
  const user = session.person.value
  const ownId = user?.id ?? ''
  const resources = ['workflow', 'assignmentType', 'userProject', 'label'] as const
  return useLoaded(`import-${projectId}`, resources, async (signal): Promise<ProjectValues | undefined> => {
    if (!configuration.extensions) return undefined
    const options = { pagesMax, signal }
    const [project, stages, types, members, labels] = await Promise.all([
      api.get('project', projectId),
      loadAll(api, 'workflow', { sortColumn: 'order' }, options),
      loadAll(api, 'assignmentType', { sortColumn: 'name' }, options),
      loadAll(api, 'userProject', { projectId, sortColumn: 'createdAt' }, options),
      loadAll(api, 'label', { projectId, sortColumn: 'name' }, options),
    ])
    const ids = [...new Set([...members.rows.map(({ userId }) => userId), ownId])]
    // Only administrators can read the logins of others.
    const [users] = await Promise.all([
      user?.isAdministrator ? loadByIds(api, 'user', ids, signal) : undefined,
      people.waitForNames(ids),
    ])
    const loginOf = (id: string) => (id === ownId ? user?.login : users?.get(id)?.login) ?? ''
    return {
      stages: stages.rows,
      types: types.rows,
      people: ids
        .map((id) => ({ id, name: people.findName(id) ?? '', login: loginOf(id) }))
        .filter(({ name }) => name !== '')
        .sort((a, b) => a.name.localeCompare(b.name)),
      ownId,
      key: project?.key,
      labels: new Map(labels.rows.map(({ id, name }) => [normalizeName(name), id])),
    }
  })
}

/** Returns the keys in a table, such as MBA-12, that assignments of the project have. */
export async function findExistingKeys(
  tracker: Pick<Tracker, 'call'>,
  { id, key }: { readonly id: string; readonly key?: string },
  source: Source,
): Promise<readonly string[]> {
  const numbers = key === undefined ? [] : numbersIn(source, key)
  const found: string[] = []
  for (let from = 0; from < numbers.length; from += rowsMax) {
    const filter = `projectId eq '${id}' and number in (${numbers.slice(from, from + rowsMax).join(', ')})`
    const query = { filter, fields: 'number', pageSize: rowsMax }
    const { result } = await tracker.call('GET /ext/query/assignments', { query })
    found.push(...result.data.map(({ number }) => `${key}-${number}`))
  }
  return found
}

/** The user may map any column to the keys, so all cells are searched. */
function numbersIn(source: Source, key: string): readonly string[] {
  const cells = source.kind === 'table' ? source.rows.flatMap((row) => row.cells) : []
  const pattern = new RegExp(`^${key}-([1-9]\\d{0,8})$`, 'i')
  return [...new Set(cells.flatMap((cell) => pattern.exec(cell.trim())?.[1] ?? []))]
}
