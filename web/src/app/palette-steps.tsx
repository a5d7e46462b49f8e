import type { RecordOf } from '../api/api.ts'
import { assignmentKey, findByKey } from '../api/assignment-key.ts'
import { byId, loadAll, loadByIds, rowsMax } from '../api/load-all.ts'
import { catalogQuery } from '../data/use-listing.ts'
import { assignmentPath, matchPath, projectPath } from '../router/router.ts'
import { viewParameter } from '../screens/project/view-address.ts'
import type { Services } from '../services/services.ts'
import { foldText, inOneLine, t } from '../texts/text.ts'
import { PersonAvatar } from '../ui/avatar.tsx'
import { createSearch, findMatches, type Match, rankFound, ranks } from '../ui/fuzzy.ts'
import { Icon } from '../ui/icon.tsx'
import { TypeShape } from '../ui/marks.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { actionsOn, findForgiving } from './assignment-steps.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'
import { type Command, commandsOf, type Frame } from './palette-commands.ts'
import { readRecent, recentMax } from './recent.ts'

type Assignment = RecordOf<'assignment'>

/** At most this many records of each kind are shown. Users type more to find others. */
const resultsMax = 6
/** The best matches are chosen from at most this many records that the server finds of each kind. */
const candidatesMax = 30
/** Only this many pages of projects forgive typing errors. Users find others by a part of the name. */
const projectPagesMax = 5

const toItem = ({ icon, label, words = '', ...command }: Command): PaletteItem => ({
  ...command,
  id: label,
  name: label,
  words: `${words} ${command.group}`,
  mark: <Icon name={icon} />,
})

interface FirstStep {
  readonly frame: Frame
  /** The focused or open assignment. */
  readonly targetId: string | undefined
  known(): Promise<Known>
}

/** Records of which the palette knows the names, so that it can forgive typing errors. */
type Known = Awaited<ReturnType<typeof loadKnown>>

/** Loads what the palette can find without the server, for as long as it is open. */
export async function loadKnown({ api, people }: Services) {
  const { signal } = new AbortController()
  const assignmentIds = readRecent().flatMap(({ assignmentId }) => assignmentId ?? [])
  const [projects, persons, assignments] = await Promise.all([
    loadAll(api, 'project', { sortColumn: 'name' }, { pagesMax: projectPagesMax, signal }),
    people.search('', signal, { max: rowsMax }),
    loadByIds(api, 'assignment', assignmentIds, signal),
  ])
  return {
    projects: createSearch(projects.rows),
    people: createSearch(persons),
    assignments: createSearch([...assignments.values()]),
  }
}

/**
 * Returns recent records and all commands or, if the user has typed a text, the commands and records it
 * matches.
 */
export async function findFirst(
  services: Services,
  { frame, targetId, known }: FirstStep,
  input: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const text = input.trim()
  // The palette is useful even if the target or the recent records cannot be loaded.
  const [target, recent, found] = await Promise.all([
    targetId === undefined ? undefined : services.api.get('assignment', targetId).catch(() => undefined),
    text === '' ? loadRecent(services, signal).catch(() => []) : [],
    text === '' ? [] : findRecords(services, known, text, signal),
  ])
  const actions = [
    ...(target ? actionsOn(services, [target]) : []),
    ...commandsOf(services, frame).map(toItem),
  ]
  if (text === '') return [...recent, ...actions]
  const items = sortGroups([...findMatches(actions, text), ...found])
  const named = typedName(text)
  if (named !== undefined) return [{ ...creationOf(named, frame), group: t('Create') }, ...items]
  const group = items.length > 0 ? t('None of these?') : t('No results for “{text}”', { text })
  return [...items, { ...creationOf(text, frame), group, isCreation: true }]
}

type FoundItem = PaletteItem & Match

/**
 * Puts groups whose names have the text as it was typed before those that match otherwise, and typing errors
 * last. They are left out if anything else has the text.
 */
function sortGroups(found: readonly FoundItem[]): readonly PaletteItem[] {
  const isTyped = found.some(({ matchRank }) => matchRank < ranks.letters)
  const items = isTyped ? found.filter(({ matchRank }) => matchRank !== ranks.typo) : found
  const levelOf = ({ matchRank }: Match) => levels.findIndex((worst) => matchRank <= worst)
  const groups = [...Map.groupBy(items, ({ group }) => group).values()]
  return groups.toSorted((a, b) => Math.min(...a.map(levelOf)) - Math.min(...b.map(levelOf))).flat()
}

/** The worst rank of each level. Within one, commands come before records. */
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
  const { api, router } = services
  const title = t('Assignments of {name}', { name: person.name })
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const query = { userId: person.id, search: text.trim(), sortColumn: 'endDate', pageSize: 20 } as const
      const { data } = await api.list('assignment', { ...query, sortOrder: 'DESC' }, signal)
      const { projectId } = matchPath('/projects/:projectId', router.address.peek().pathname) ?? {}
      const here: readonly PaletteItem[] =
        projectId === undefined || text !== ''
          ? []
          : [
              {
                id: 'here',
                name: t('Their assignments here'),
                group: title,
                mark: <Icon name="columns" />,
                run: () => router.setQuery({ userId: person.id }),
              },
            ]
      return [...here, ...(await assignmentItems(services, data, title, signal))]
    },
  }
}

type AssignmentLine = Pick<Assignment, 'id' | 'name' | 'projectId' | 'number' | 'assignmentTypeId'>

/** Turns assignments into items, with the marks of their types. */
async function assignmentItems(
  { api, router }: Services,
  rows: readonly (AssignmentLine & Partial<Match>)[],
  group: string,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ projectId }) => projectId)
  const [projects, types] = await Promise.all([
    loadByIds(api, 'project', ids, signal),
    api.list('assignmentType', catalogQuery, signal),
  ])
  const typeNames = new Map(types.data.map(({ id, name }) => [id, name]))
  return rows.map(
    ({ id, name, projectId, number, assignmentTypeId, matchRank = ranks.start, spans = [] }) => {
      const project = projects.get(projectId)
      return {
        id,
        name,
        matchRank,
        spans,
        group,
        note: inOneLine(assignmentKey(project?.key, { number }), project?.name),
        mark: <TypeShape name={typeNames.get(assignmentTypeId) ?? ''} />,
        run: () => router.go(assignmentPath(projectId, id)),
      }
    },
  )
}

const projectItem = (
  project: Pick<RecordOf<'project'>, 'id' | 'name' | 'color'>,
  group: string,
  router: Services['router'],
) => ({
  id: project.id,
  name: project.name,
  group,
  mark: <ProjectMark project={project} />,
  run: () => router.go(projectPath(project.id)),
})

/** Returns the best of what the server has found and of what is known. */
function bestOf<Named extends { readonly id: string; readonly name: string }>(
  text: string,
  found: readonly Named[],
  known: readonly (Named & Match)[] = [],
): readonly (Named & Match)[] {
  return [...byId([...known, ...rankFound(found, text)]).values()]
    .toSorted((a, b) => a.matchRank - b.matchRank)
    .slice(0, resultsMax)
}

async function findRecords(
  services: Services,
  known: FirstStep['known'],
  text: string,
  signal: AbortSignal,
): Promise<readonly FoundItem[]> {
  const { api, configuration, people, router, tracker } = services
  const query = { search: text, pageSize: candidatesMax, sortColumn: 'name' } as const
  const [projects, assignments, assignmentOfKey, foundPeople, views, others] = await Promise.all([
    api.list('project', query, signal),
    api.list('assignment', query, signal),
    configuration.extensions ? findByKey(tracker, text, signal) : undefined,
    people.search(text, signal),
    configuration.extensions ? findViews(services, query, signal) : [],
    known().catch(() => undefined),
  ])
  const foundAssignments = [
    ...(assignmentOfKey ? [assignmentOfKey] : []),
    ...bestOf<AssignmentLine>(text, assignments.data, others?.assignments(text, resultsMax)).filter(
      ({ id }) => id !== assignmentOfKey?.id,
    ),
  ]
  const foundItems = await assignmentItems(services, foundAssignments, t('Assignments'), signal)
  return [
    // A key identifies exactly one assignment, so assignments come first then.
    ...(assignmentOfKey ? foundItems : []),
    ...bestOf(text, projects.data, others?.projects(text, resultsMax)).map((project) => ({
      ...projectItem(project, t('Projects'), router),
      matchRank: project.matchRank,
      spans: project.spans,
    })),
    ...(assignmentOfKey ? [] : foundItems),
    ...bestOf(text, views),
    ...bestOf(text, foundPeople, others?.people(text, resultsMax)).map((person) => ({
      id: person.id,
      name: person.name,
      matchRank: person.matchRank,
      spans: person.spans,
      group: t('People'),
      mark: <PersonAvatar id={person.id} isDecorative />,
      next: () => personStep(services, person),
    })),
  ]
}

/** Finds the user's personal views, and the views that are shared with projects. */
async function findViews(
  { api, router, session }: Services,
  query: { readonly search: string; readonly pageSize: number; readonly sortColumn: 'name' },
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const [personal, shared] = await Promise.all([
    api.list('savedView', { ...query, userId: session.person.peek()?.id }, signal),
    api.list('projectView', query, signal),
  ])
  // Other API clients may save views without an address of this client.
  return [...personal.data, ...shared.data].flatMap(({ id, name, address }): readonly PaletteItem[] => {
    if (!address?.startsWith('/projects/')) return []
    const run = () => router.go(`${address}${address.includes('?') ? '&' : '?'}${viewParameter}=${id}`)
    return [{ id, name, group: t('Saved views'), mark: <Icon name="bookmark" />, run }]
  })
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
