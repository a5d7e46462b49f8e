import type { RecordOf } from '../api/api.ts'
import { loadByIds, rowsMax } from '../api/load-all.ts'
import { assignmentKey, findByKey, isAssignmentKey, responsibleOf } from '../data/assignments.ts'
import { assignmentPath, projectPath } from '../router/router.ts'
import { viewParameter } from '../screens/project/filters.ts'
import type { Services } from '../services/services.ts'
import { foldText, t } from '../texts/text.ts'
import { findMatches, type Match, rankFound, ranks, type Span } from '../ui/fuzzy.ts'
import { Icon } from '../ui/icon.tsx'
import { StageMark } from '../ui/marks.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { PersonAvatar } from '../ui/people.tsx'
import { actionsOn, findForgiving } from './assignment-steps.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'
import { type KnownRecords, type KnownView, knownRecordsOf, type LazyValue } from './known-records.ts'
import { rememberLast } from './load-once.ts'
import { type Command, commandsOf, type Frame } from './palette-commands.ts'
import { readRecent, recentMax } from './screens.ts'

type Assignment = RecordOf<'assignment'>

/** Each group shows at most this many matches. Users find others by typing more. */
const resultsMax = 6
/** The server returns at most this many records of each kind, of which the best matches are shown. */
const candidatesMax = 30

const toItem = ({ icon, label, words = '', ...command }: Command): PaletteItem => ({
  ...command,
  id: label,
  name: label,
  words: `${words} ${command.group}`,
  mark: <Icon name={icon} />,
})

/** The data that an opened palette loads first: the focused or open assignment, and recent records. */
interface Start {
  readonly target: Assignment | undefined
  readonly recent: readonly PaletteItem[]
}

/** Loads the start of an opened palette. Errors are ignored, because the commands work without it. */
export async function loadStart(services: Services, targetId: string | undefined): Promise<Start> {
  const { signal } = new AbortController()
  const [target, recent] = await Promise.all([
    targetId === undefined ? undefined : services.api.get('assignment', targetId).catch(() => undefined),
    loadRecent(services, signal).catch(() => []),
  ])
  return { target, recent }
}

interface FirstStep {
  readonly frame: Frame
  readonly start: LazyValue<Start>
  readonly known: LazyValue<KnownRecords>
  findKnown(start: Start, records: KnownRecords | undefined, text: string): FoundGroups
}

/** Returns the first step of an opened palette. */
export const createFirstStep = (services: Services, parts: Omit<FirstStep, 'findKnown'>): FirstStep => ({
  ...parts,
  // `findAtOnce` and `findFirst` look up the same text one after the other.
  findKnown: rememberLast((start, records, text) => findKnown(services, parts.frame, start, records, text)),
})

type FoundItem = PaletteItem & Match

interface FoundGroups {
  readonly first: readonly FoundItem[]
  readonly rest: readonly FoundItem[]
}

const isTyped = ({ matchRank }: Match): boolean => matchRank < ranks.letters

/**
 * Returns recent records and all commands if the text is empty. Otherwise returns matching commands and
 * records. The server finds some of the records.
 */
export async function findFirst(
  services: Services,
  step: FirstStep,
  input: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const text = input.trim()
  const start = await step.start.load()
  if (text === '') return [...start.recent, ...actionsIn(services, step.frame, start)]
  const records = await step.known.load().catch(() => undefined)
  const { first, rest } = step.findKnown(start, records, text)
  const knownIds = new Set([...first, ...rest].map(({ id }) => id))
  const others = await findOnServer(services, records, text, signal).catch((error) => {
    // The known records are useful without a network, too.
    if (knownIds.size === 0) throw error
    return []
  })
  const found = others.filter(({ id }) => !knownIds.has(id))
  const later = sortGroups([...rest, ...found]).flat()
  // A key identifies one assignment, which is among the results of the server.
  const all = isAssignmentKey(text) ? [...later, ...first] : [...first, ...later]
  const items = all.some(isTyped) ? all.filter(({ matchRank }) => matchRank !== ranks.typo) : all
  const named = typedName(text)
  if (named !== undefined) return [{ ...creationOf(named, step.frame), group: t('Create') }, ...items]
  const group = items.length > 0 ? t('None of these?') : t('No results for “{text}”', { text })
  return [...items, { ...creationOf(text, step.frame), group, isCreation: true }]
}

/**
 * Returns the items that are found without the server and with which the results of `findFirst` begin, or
 * undefined if these are not certain yet.
 */
export function findAtOnce(
  { findKnown, start, known }: FirstStep,
  input: string,
): readonly PaletteItem[] | undefined {
  const text = input.trim()
  if (text === '' || start.current === undefined || isAssignmentKey(text) || typedName(text) !== undefined)
    return undefined
  const { first } = findKnown(start.current, known.current, text)
  return first.filter(({ matchRank }) => matchRank !== ranks.typo)
}

const actionsIn = (services: Services, frame: Frame, { target }: Start): readonly PaletteItem[] => [
  ...(target ? actionsOn(services, [target]) : []),
  ...commandsOf(services, frame).map(toItem),
]

/**
 * Finds commands, recent records, projects, saved views and people. `first` has the groups in which a name
 * contains the words of the text, or all groups if there are none.
 */
function findKnown(
  services: Services,
  frame: Frame,
  start: Start,
  known: KnownRecords | undefined,
  text: string,
): FoundGroups {
  const { router } = services
  const recent = findMatches(start.recent, text)
  const recentIds = new Set(recent.map(({ id }) => id))
  const others: readonly FoundItem[] = [
    ...(known?.projects(text) ?? []).map((project) => projectItem(project, t('Projects'), router)),
    ...(known?.views(text) ?? []).map((view) => viewItem(view, router)),
    ...(known?.people(text) ?? []).map((person) => personItem(services, person)),
  ]
  const groups = sortGroups([
    ...findMatches(actionsIn(services, frame, start), text),
    ...filtersOf(services, known?.people(text, filtersMax) ?? []),
    ...recent,
    ...others.filter(({ id }) => !recentIds.has(id)),
  ])
  const firstGroups = groups.filter((members) => levelOf(members) === 0)
  return firstGroups.length > 0
    ? { first: firstGroups.flat(), rest: groups.slice(firstGroups.length).flat() }
    : { first: groups.flat(), rest: [] }
}

/**
 * Returns the best matches of each group, and the groups with the best matches first. Matches by scattered
 * letters or with a typing error are used only if there are no others.
 */
function sortGroups(found: readonly FoundItem[]): readonly (readonly FoundItem[])[] {
  const items = found.some(isTyped) ? found.filter(isTyped) : found
  return [...Map.groupBy(items, ({ group }) => group).values()]
    .map((members) => members.slice(0, resultsMax))
    .toSorted((a, b) => levelOf(a) - levelOf(b))
}

/** Returns the level of the best member of a group. */
const levelOf = (members: readonly Match[]): number =>
  Math.min(...members.map(({ matchRank }) => levels.findIndex((worst) => matchRank <= worst)))

/** The worst rank of each level. Groups of the same level keep their order: commands before records. */
const levels: readonly number[] = [ranks.anyOrder, ranks.inside, ranks.letters, ranks.typo]

/** Offers to create an assignment with the text as its name. */
const creationOf = (text: string, { projectId, open }: Frame) => ({
  id: 'create',
  name: t('Create assignment “{text}”', { text }),
  mark: <Icon name="plus" />,
  run: () =>
    open(
      projectId === undefined
        ? { kind: 'choose-project', name: text }
        : { kind: 'new-assignment', projectId, name: text },
    ),
})

/** The commands that users may type before the name of an assignment, in all languages of the client. */
const wordsBeforeName = ['new assignment ', 'create assignment ', 'nova tarefa ', 'criar tarefa '] as const

/** Returns the name that the user has typed after the command that creates an assignment. */
function typedName(text: string): string | undefined {
  const command = wordsBeforeName.find((one) => foldText(text).startsWith(one))
  return command && text.slice(command.length).trim()
}

/** Finds projects for a new assignment. Those that were opened last come first. */
export async function findProjects(
  { api }: Services,
  { title, onChoose }: { readonly title: string; onChoose(projectId: string): void },
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const search = async (typed: string) => {
    const query = { search: typed.trim(), sortColumn: 'name', pageSize: rowsMax } as const
    return (await api.list('project', query, signal)).data
  }
  const data = await findForgiving(search, text)
  const recentIds = readRecent().map(({ projectId }) => projectId)
  const positionOf = (id: string) => (recentIds.includes(id) ? recentIds.indexOf(id) : recentIds.length)
  return data
    .filter(({ isArchived }) => !isArchived)
    .toSorted((a, b) => positionOf(a.id) - positionOf(b.id))
    .map((project) => ({
      id: project.id,
      name: project.name,
      spans: project.spans,
      group: title,
      mark: <ProjectMark project={project} />,
      run: () => onChoose(project.id),
    }))
}

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

/** Turns assignments into items, with their keys, projects and people, and the marks of their stages. */
async function assignmentItems(
  services: Services,
  rows: readonly Found<Assignment>[],
  group: string,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const { api, router } = services
  const records = knownRecordsOf(services)
  // Assignments are useful without the marks of their stages, too.
  const known = records.current ?? (await records.load().catch(() => undefined))
  const unknownIds = rows.flatMap(({ projectId }) => (known?.projectsById.has(projectId) ? [] : projectId))
  const projects = await loadByIds(api, 'project', unknownIds, signal)
  return rows.map((row) => {
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
      run: () => router.go(assignmentPath(row.projectId, row.id)),
    }
  })
}

type Found<Named> = Named & Partial<Match>

const matchOf = ({ matchRank = ranks.start, spans = [], alias }: Partial<Match>): Match => ({
  matchRank,
  spans,
  alias,
})

const projectItem = (
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

const viewItem = (view: Found<KnownView>, router: Services['router']): FoundItem => ({
  ...matchOf(view),
  id: view.id,
  name: view.name,
  group: t('Saved views'),
  note: view.projectName,
  mark: <Icon name="bookmark" />,
  run: () => router.go(`${view.address}${view.address.includes('?') ? '&' : '?'}${viewParameter}=${view.id}`),
})

const personItem = (
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

/** More people than these are rarely meant by the same text. */
const filtersMax = 2

/** Returns commands that show only the assignments of a person in the open project. */
const filtersOf = (
  { router }: Services,
  persons: readonly Found<{ readonly id: string; readonly name: string }>[],
): readonly FoundItem[] =>
  document.querySelector('main .filter-button') === null
    ? []
    : persons.map((person) => {
        const { matchRank, spans } = matchOf(person)
        const name = t('Filter by {name}', { name: person.name })
        const at = name.indexOf(person.name)
        return {
          matchRank,
          spans: spans.map(([from, to]): Span => [from + at, to + at]),
          id: `filter-${person.id}`,
          name,
          group: t('This project'),
          mark: <Icon name="filter" />,
          run: () => router.setQuery({ userId: person.id }),
        }
      })

/** Finds assignments, and projects and people unless all of them are known. */
async function findOnServer(
  services: Services,
  known: KnownRecords | undefined,
  text: string,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const { api, configuration, people, router, tracker } = services
  const query = { search: text, pageSize: candidatesMax, sortColumn: 'name' } as const
  const isCut = (kind: 'projects' | 'people') => known?.cut.has(kind) !== false
  const best = <Named extends { readonly id: string; readonly name: string }>(found: readonly Named[]) =>
    rankFound(found, text).slice(0, resultsMax)
  const [assignments, assignmentOfKey, projects, persons] = await Promise.all([
    api.list('assignment', query, signal),
    configuration.extensions ? findByKey(tracker, text, signal) : undefined,
    isCut('projects') ? api.list('project', query, signal) : undefined,
    isCut('people') ? people.search(text, signal) : [],
  ])
  const found: readonly Found<Assignment>[] = [
    ...(assignmentOfKey ? [assignmentOfKey] : []),
    ...best(assignments.data).filter(({ id }) => id !== assignmentOfKey?.id),
  ]
  return [
    ...best(projects?.data ?? []).map((project) => projectItem(project, t('Projects'), router)),
    ...best(persons).map((person) => personItem(services, person)),
    ...(await assignmentItems(services, found, t('Assignments'), signal)),
  ]
}

async function loadRecent(services: Services, signal: AbortSignal): Promise<readonly PaletteItem[]> {
  const { api, router } = services
  const { pathname } = router.address.peek()
  const recent = readRecent().filter(({ projectId, assignmentId }) =>
    assignmentId ? !pathname.endsWith(assignmentId) : pathname !== projectPath(projectId),
  )
  const projectIds = recent.map(({ projectId }) => projectId)
  const assignmentIds = recent.flatMap(({ assignmentId }) => assignmentId ?? [])
  const [projects, assignments] = await Promise.all([
    loadByIds(api, 'project', projectIds, signal),
    loadByIds(api, 'assignment', assignmentIds, signal),
  ])
  const organizationIds = [...projects.values()].map(({ organizationId }) => organizationId)
  const [organizations, items] = await Promise.all([
    loadByIds(api, 'organization', organizationIds, signal),
    assignmentItems(services, [...assignments.values()], t('Recent'), signal),
  ])
  return recent
    .flatMap(({ projectId, assignmentId, openedAt }): readonly PaletteItem[] => {
      const project = projects.get(projectId)
      if (assignmentId !== undefined)
        return items.filter(({ id }) => id === assignmentId).map((item) => ({ ...item, openedAt }))
      const note = organizations.get(project?.organizationId ?? '')?.name ?? ''
      return project ? [{ ...projectItem(project, t('Recent'), router), note, openedAt }] : []
    })
    .slice(0, recentMax)
}
