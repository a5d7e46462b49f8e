import type { RecordOf } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { assignmentKey, findByKey, responsibleOf } from '../data/assignments.ts'
import { assignmentPath, projectPath } from '../router/router.ts'
import { viewParameter } from '../screens/project/filters.ts'
import type { Services } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { type Match, rankFound, ranks } from '../ui/fuzzy.ts'
import { Icon } from '../ui/icon.tsx'
import { StageMark } from '../ui/marks.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { PersonAvatar } from '../ui/people.tsx'
import type { PaletteItem, PaletteLine, PaletteStep } from './command-palette.tsx'
import { type KnownView, knownRecordsOf } from './known-records.ts'

type Assignment = RecordOf<'assignment'>

/** Each group shows at most this many matches. Users find others by typing more. */
export const resultsMax = 6
/** The server returns at most this many records of each kind, of which the best matches are shown. */
const candidatesMax = 30

export type FoundItem = PaletteItem & Match

/** Turns assignments into items that open them. */
export async function assignmentItems(
  services: Services,
  rows: readonly Found<Assignment>[],
  group: string,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const lineOf = await loadLines(services, rows, group, signal)
  const open = ({ id, projectId }: Assignment) => services.router.go(assignmentPath(projectId, id))
  return rows.map((row) => ({ ...lineOf(row), run: () => open(row) }))
}

/** Returns a function that draws an assignment with its key, project and person, and the mark of its stage. */
export async function loadLines(
  services: Services,
  rows: readonly Assignment[],
  group: string,
  signal: AbortSignal,
): Promise<(row: Found<Assignment>) => PaletteLine & Match> {
  const records = knownRecordsOf(services)
  // Assignments are useful without the marks of their stages, too.
  const known = records.current ?? (await records.load().catch(() => undefined))
  const unknownIds = rows.flatMap(({ projectId }) => (known?.projectsById.has(projectId) ? [] : projectId))
  const projects = await loadByIds(services.api, 'project', unknownIds, signal)
  return (row) => {
    const project = projects.get(row.projectId) ?? known?.projectsById.get(row.projectId)
    const look = known?.lookOf(row)
    return {
      ...matchOf(row),
      id: row.id,
      name: row.name,
      group,
      assignmentKey: assignmentKey(project?.key, row),
      note: project?.name ?? '',
      mark: look && <StageMark {...look} />,
      isDone: look?.isDone === true,
      personId: responsibleOf(row),
    }
  }
}

export type Found<Named> = Named & Partial<Match>

export const matchOf = ({ matchRank = ranks.start, spans = [], alias }: Partial<Match>): Match => ({
  matchRank,
  spans,
  alias,
})

export const projectItem = (
  project: Found<Pick<RecordOf<'project'>, 'id' | 'name' | 'color'>>,
  group: string,
  router: Services['router'],
): FoundItem => ({
  ...matchOf(project),
  id: project.id,
  name: project.name,
  group,
  mark: <ProjectMark project={project} />,
  run: () => router.go(projectPath(project.id)),
})

export const viewItem = (view: Found<KnownView>, router: Services['router']): FoundItem => ({
  ...matchOf(view),
  id: view.id,
  name: view.name,
  group: t('Saved views'),
  note: view.projectName,
  mark: <Icon name="bookmark" />,
  run: () => router.go(`${view.address}${view.address.includes('?') ? '&' : '?'}${viewParameter}=${view.id}`),
})

export const personItem = (
  services: Services,
  person: Found<{ readonly id: string; readonly name: string }>,
): FoundItem => ({
  ...matchOf(person),
  id: person.id,
  name: person.name,
  group: t('People'),
  mark: <PersonAvatar id={person.id} isDecorative />,
  next: () => personStep(services, person),
})

/** Lists the assignments of a person in all projects that the user can see. */
function personStep(services: Services, person: { readonly id: string; readonly name: string }): PaletteStep {
  const { api } = services
  const title = t('Assignments of {name}', { name: person.name })
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const query = { userId: person.id, search: text.trim(), sortColumn: 'endDate', pageSize: 20 } as const
      const { data } = await api.list('assignment', { ...query, sortOrder: 'DESC' }, signal)
      return assignmentItems(services, data, title, signal)
    },
  }
}

export const searchFor = (text: string) =>
  ({ search: text, pageSize: candidatesMax, sortColumn: 'name' }) as const

export const best = <Named extends { readonly id: string; readonly name: string }>(
  found: readonly Named[],
  text: string,
) => rankFound(found, text).slice(0, resultsMax)

/** Finds assignments by their names, and those with the typed keys, which are first. */
export async function findAssignments(
  { api, configuration, tracker }: Services,
  text: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<readonly Found<Assignment>[]> {
  const [byName, ...byKey] = await Promise.all([
    api.list('assignment', searchFor(text), signal),
    ...(configuration.extensions ? keys.map((key) => findByKey(tracker, key, signal)) : []),
  ])
  const ofKeys = byKey.filter((assignment) => assignment !== undefined)
  const ids = new Set(ofKeys.map(({ id }) => id))
  return [...ofKeys, ...best(byName.data, text).filter(({ id }) => !ids.has(id))]
}
