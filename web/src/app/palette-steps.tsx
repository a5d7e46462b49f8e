import type { RecordOf } from '../api/api.ts'
import { loadByIds, rowsMax } from '../api/load-all.ts'
import { sentenceOf } from '../api/problems.ts'
import { loadOrRecall } from '../assignment/change-many.ts'
import { assignmentKey } from '../data/assignments.ts'
import { projectPath } from '../router/router.ts'
import type { Services } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { findMatches, isTyped, joinWords, type Match, ranks, rememberLast, type Span } from '../ui/fuzzy.ts'
import { Icon } from '../ui/icon.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { findForgiving } from './assignment-steps.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'
import { createLazyValue, type KnownRecords, type LazyValue } from './known-records.ts'
import {
  type Command,
  commandsOf,
  type Frame,
  type ProjectGroup,
  projectCommands,
} from './palette-commands.ts'
import {
  assignmentItems,
  best,
  type Found,
  type FoundItem,
  findAssignments,
  loadLines,
  matchOf,
  personItem,
  projectItem,
  resultsMax,
  searchFor,
  viewItem,
} from './palette-items.tsx'
import { findTypedValue, loadValues, type SearchValues } from './palette-values.tsx'
import { readRecent, recentMax } from './screens.ts'
import { keysIn, typedName, typedValueIn } from './typed-texts.ts'

type Assignment = RecordOf<'assignment'>

const toItem = ({ icon, label, words, ...command }: Command): PaletteItem => ({
  ...command,
  id: label,
  name: label,
  // The name of a project finds the project, not its commands.
  words: command.groupMark === undefined ? joinWords(words, command.group) : words,
  mark: <Icon name={icon} />,
})

/** The focused or open assignment, the heading of the commands on it, and those that set a value at once. */
interface Target {
  readonly row: Assignment
  readonly heading: string
  readonly values: LazyValue<SearchValues>
}

/** The data that an opened palette loads first. */
interface Start {
  readonly target: Target | undefined
  readonly project: ProjectGroup | undefined
  readonly recent: readonly PaletteItem[]
}

/** Loads the start of an opened palette. Errors are ignored, because the commands work without it. */
export async function loadStart(
  services: Services,
  projectId: string | undefined,
  targetId: string | undefined,
): Promise<Start> {
  const { signal } = new AbortController()
  const [target, project, recent] = await Promise.all([
    targetId === undefined ? undefined : loadTarget(services, targetId, signal).catch(() => undefined),
    projectId === undefined ? undefined : loadProject(services, projectId, signal),
    loadRecent(services, signal).catch(() => []),
  ])
  return { target, project, recent }
}

async function loadTarget(services: Services, id: string, signal: AbortSignal): Promise<Target | undefined> {
  const [row] = await loadOrRecall(services, [id])
  if (row === undefined) return undefined
  const projects = await loadByIds(services.api, 'project', [row.projectId], signal).catch(() => undefined)
  const key = assignmentKey(projects?.get(row.projectId)?.key, row)
  const heading = `${key} ${row.name}`.trim()
  return { row, heading, values: createLazyValue(() => loadValues(services, row, heading, signal)) }
}

async function loadProject({ api }: Services, id: string, signal: AbortSignal): Promise<ProjectGroup> {
  const projects = await loadByIds(api, 'project', [id], signal).catch(() => undefined)
  const project = projects?.get(id)
  const name = project?.name ?? t('This project')
  return { id, name, key: project?.key, mark: <ProjectMark project={project ?? { id }} /> }
}

interface FirstStep {
  readonly frame: Frame
  readonly start: LazyValue<Start>
  readonly known: LazyValue<KnownRecords>
  /** Returns the commands on assignments. Without assignments, they have no effect. */
  actionsOn(rows: readonly Assignment[]): readonly PaletteItem[]
  findKnown(start: Start, records: KnownRecords | undefined, text: string): FoundGroups
}

/** Returns the first step of an opened palette. */
export const createFirstStep = (services: Services, parts: Omit<FirstStep, 'findKnown'>): FirstStep => ({
  ...parts,
  // `findAtOnce` and `findFirst` look up the same text one after the other.
  findKnown: rememberLast((start, records, text) => findKnown(services, parts, start, records, text)),
})

interface FoundGroups {
  readonly first: readonly FoundItem[]
  readonly rest: readonly FoundItem[]
}

/**
 * Returns commands on the focused or open assignment, recent records and all other commands if the text is
 * empty. Otherwise returns matching commands and records. The server finds some of the records.
 */
export async function findFirst(
  services: Services,
  step: FirstStep,
  input: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const text = input.trim()
  const start = await step.start.load()
  if (text === '')
    return [...actionsOnTarget(step, start), ...start.recent, ...commandsIn(services, step, start)]
  const typed = typedValueIn(text)
  const [records, values = []] = await Promise.all([
    step.known.load().catch(() => undefined),
    typed && start.target && findTypedValue(services, start.target, typed, signal),
    start.target?.values.load().catch(() => undefined),
  ])
  const { first, rest } = step.findKnown(start, records, text)
  const knownIds = new Set([...first, ...rest].map(({ id }) => id))
  const keys = keysIn(text, projectKeysOf(records, start.project))
  let problem: string | undefined
  const others = await findOnServer(services, records, { text, keys }, signal).catch((error) => {
    // The known records are useful without the others, too.
    if (knownIds.size === 0) throw error
    problem = sentenceOf(error)
    return []
  })
  const unknown = others.filter(({ id }) => !knownIds.has(id))
  const later = sortGroups([...rest, ...unknown]).flat()
  // A key identifies an assignment, which is among the results of the server.
  const all = keys.length > 0 ? [...later, ...first] : [...first, ...later]
  const found =
    all.some(isTyped) || values.length > 0 ? all.filter(({ matchRank }) => matchRank !== ranks.typo) : all
  const items = typed?.isNamed ? [...values, ...found] : [...found, ...values]
  const named = typedName(text)
  if (named !== undefined) return [{ ...creationOf(named, step.frame), group: t('Create') }, ...items]
  const group = problem ?? (items.length > 0 ? t('None of these?') : t('No results for “{text}”', { text }))
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
  if (text === '' || start.current === undefined || typedName(text) !== undefined) return undefined
  const { project, target } = start.current
  if (target && (!target.values.current || typedValueIn(text))) return undefined
  if (keysIn(text, projectKeysOf(known.current, project)).length > 0) return undefined
  const { first } = findKnown(start.current, known.current, text)
  return first.filter(({ matchRank }) => matchRank !== ranks.typo)
}

type Parts = Omit<FirstStep, 'findKnown'>

/** Returns the keys of the open project, of those that were opened last, and of the others. */
function projectKeysOf(
  known: KnownRecords | undefined,
  project: ProjectGroup | undefined,
): readonly string[] {
  const recent = readRecent().flatMap(({ projectId }) => known?.projectsById.get(projectId) ?? [])
  const others = known?.projectsById.values() ?? []
  return [...new Set([project, ...recent, ...others].flatMap((one) => one?.key ?? []))]
}

const actionsOnTarget = ({ actionsOn }: Parts, { target }: Start): readonly PaletteItem[] =>
  target ? actionsOn([target.row]).map((action) => ({ ...action, group: target.heading })) : []

/** Returns all commands but those on the focused or open assignment. */
const commandsIn = (services: Services, parts: Parts, { target, project }: Start): readonly PaletteItem[] => {
  const commands = commandsOf(services, parts.frame, project).map(toItem)
  return [
    ...commands,
    ...(target ? [] : actionsOnAny(services, parts)),
    ...(project ? [] : pagesOfAny(services)),
  ]
}

/** Returns the commands for the views and pages of a project that the user chooses in their first step. */
function pagesOfAny(services: Services): readonly PaletteItem[] {
  const group = t('In a project that you choose next')
  const commandsIn = (id: string) => projectCommands(services, { id, name: '', key: undefined, mark: null })
  return commandsIn('').map(({ icon, label, words }) => {
    const onChoose = (id: string) =>
      commandsIn(id)
        .find((command) => command.label === label)
        ?.run()
    const next = (): PaletteStep => ({
      title: label,
      placeholder: t('Which project?'),
      find: (text, signal) => findProjects(services, { title: label, onChoose }, text, signal),
    })
    return { id: `project ${label}`, name: label, words, group, mark: <Icon name={icon} />, next }
  })
}

/** Returns the commands on an assignment that the user chooses in their first step. */
const actionsOnAny = (services: Services, parts: Parts): readonly PaletteItem[] =>
  parts.actionsOn([]).map(({ id, name, words, mark, keys = [] }) => {
    const actionOn = (row: Assignment) => parts.actionsOn([row]).find((action) => action.id === id)
    const next = () => targetStep(services, parts, name, actionOn)
    const group = t('On an assignment that you choose next')
    return { id, name, words: joinWords(words, t('Assignment')), mark, keys, group, next }
  })

/** Asks for the assignment of a command. */
function targetStep(
  services: Services,
  { frame, known, start }: Parts,
  title: string,
  actionOn: (row: Assignment) => PaletteItem | undefined,
): PaletteStep {
  return {
    title,
    placeholder: t('Which assignment?'),
    async find(input, signal) {
      const text = input.trim()
      const keys = keysIn(text, projectKeysOf(known.current, start.current?.project))
      const rows =
        text === ''
          ? await findUsualTargets(services, frame.projectId, signal)
          : await findAssignments(services, text, keys, signal)
      const lineOf = await loadLines(services, rows, title, signal)
      return rows.flatMap((row): readonly PaletteItem[] => {
        const action = actionOn(row)
        if (action === undefined) return []
        return [{ ...lineOf(row), ...(action.next ? { next: action.next } : { run: action.run }) }]
      })
    },
  }
}

/** Returns the assignments that were opened last, and then others of the project or of the user. */
async function findUsualTargets(
  { api, session }: Services,
  projectId: string | undefined,
  signal: AbortSignal,
): Promise<readonly Assignment[]> {
  const recentIds = readRecent().flatMap(({ assignmentId }) => assignmentId ?? [])
  const scope = projectId === undefined ? { userId: session.person.peek()?.id } : { projectId }
  const [recent, others] = await Promise.all([
    loadByIds(api, 'assignment', recentIds, signal),
    api.list('assignment', { ...scope, sortColumn: 'endDate', sortOrder: 'DESC', pageSize: 20 }, signal),
  ])
  const first = recentIds.flatMap((id) => recent.get(id) ?? [])
  return [...first, ...others.data.filter(({ id }) => !recent.has(id))]
}

/**
 * Finds commands, recent records, projects, saved views and people. `first` has the groups in which a name
 * contains the words of the text, or all groups if there are none.
 */
function findKnown(
  services: Services,
  parts: Parts,
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
  const values = start.target?.values.current?.(text)
  const commands = [
    ...actionsOnTarget(parts, start),
    ...(values?.others ?? []),
    ...commandsIn(services, parts, start),
  ]
  const groups = sortGroups([
    ...findMatches(commands, text),
    ...filtersOf(services, start.project, known?.people(text, filtersMax) ?? []),
    // A name alone rather looks for the person than assigns to them.
    ...findMatches(values?.people ?? [], text),
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

/** Finds projects for a new assignment. Those that were opened last come first. */
export async function findProjects(
  services: Services,
  { title, onChoose }: { readonly title: string; onChoose(projectId: string): void },
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const search = async (typed: string) => {
    const query = { search: typed.trim(), sortColumn: 'name', pageSize: rowsMax } as const
    return (await services.api.list('project', query, signal)).data
  }
  const data = await findForgiving(search, text)
  if (data.length === 0 && (await search('')).length === 0) return [newProjectItem(services)]
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

/** Stands for the projects of an account that has none. Every account may make projects. */
const newProjectItem = ({ router }: Services): PaletteItem => ({
  id: 'new-project',
  name: t('New project'),
  group: t('You have no project yet. Make one, or ask a member of one to add you.'),
  mark: <Icon name="folder" />,
  run: () => router.go('/projects?new=1'),
})

/** A text that means a person rarely fits more people than these. */
const filtersMax = 2

/** Returns commands that show only the assignments of a person in the open project. */
const filtersOf = (
  { router }: Services,
  project: ProjectGroup | undefined,
  persons: readonly Found<{ readonly id: string; readonly name: string }>[],
): readonly FoundItem[] =>
  project === undefined || document.querySelector('main .filter-button') === null
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
          group: project.name,
          groupMark: project.mark,
          mark: <Icon name="filter" />,
          run: () => router.setQuery({ userId: person.id }),
        }
      })

/** Finds assignments, and projects and people unless all of them are known. */
async function findOnServer(
  services: Services,
  known: KnownRecords | undefined,
  { text, keys }: { readonly text: string; readonly keys: readonly string[] },
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const { api, people, router } = services
  const isCut = (kind: 'projects' | 'people') => known?.cut.has(kind) !== false
  const [assignments, projects, persons] = await Promise.all([
    findAssignments(services, text, keys, signal),
    isCut('projects') ? api.list('project', searchFor(text), signal) : undefined,
    isCut('people') ? people.search(text, signal) : [],
  ])
  return [
    ...best(projects?.data ?? [], text).map((project) => projectItem(project, t('Projects'), router)),
    ...best(persons, text).map((person) => personItem(services, person)),
    ...(await assignmentItems(services, assignments, t('Assignments'), signal)),
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
