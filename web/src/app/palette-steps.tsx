import type { RecordOf } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { assignmentKey, findByKey } from '../assignment/assignment-key.ts'
import { catalogQuery } from '../data/use-listing.ts'
import { assignmentPath, matchPath, projectPath } from '../router/router.ts'
import { viewParameter } from '../screens/project/view-address.ts'
import type { Services } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { PersonAvatar } from '../ui/avatar.tsx'
import { matchesWords, sortByMatch } from '../ui/combobox.tsx'
import { Icon } from '../ui/icon.tsx'
import { TypeShape } from '../ui/marks.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { actionsOn } from './assignment-steps.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'
import { type Command, commandsOf, type Frame } from './palette-commands.ts'
import { readRecent, recentMax } from './recent.ts'

type Assignment = RecordOf<'assignment'>

/** The limit for projects, assignments and people each. Users type more to find others. */
const resultsMax = 6
/** The best matches are chosen from this many. */
const candidatesMax = 30

const toItem = ({ icon, label, ...rest }: Command): PaletteItem => ({
  ...rest,
  id: label,
  name: label,
  mark: <Icon name={icon} />,
})

export interface FirstStep {
  readonly frame: Frame
  /** The focused or open assignment. */
  readonly targetId: string | undefined
}

/** Shows what was opened last and what can be done, and finds both by name. */
export async function findFirst(
  services: Services,
  { frame, targetId }: FirstStep,
  input: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const text = input.trim()
  // Without the target or the recent items, the palette is still useful.
  const [target, recent, found] = await Promise.all([
    targetId === undefined ? undefined : services.api.get('assignment', targetId).catch(() => undefined),
    text === '' ? loadRecent(services, signal).catch(() => []) : [],
    text === '' ? [] : findRecords(services, text, signal),
  ])
  const actions = [
    ...(target ? actionsOn(services, target) : []),
    ...commandsOf(services, frame).map(toItem),
  ].filter(({ name }) => matchesWords(name, text))
  const items = [...recent, ...sortByMatch(actions, text), ...found]
  if (text === '') return items
  return [...items, creationOf(text, frame, items.length > 0)]
}

/** Offers to create an assignment with the text as its name, below all that was found. */
const creationOf = (text: string, { projectId, open }: Frame, hasFound: boolean): PaletteItem => ({
  id: 'create',
  group: hasFound ? t('None of these?') : t('No results for “{text}”', { text }),
  name: t('Create assignment “{text}”', { text }),
  mark: <Icon name="plus" />,
  run: () =>
    open(
      projectId === undefined
        ? { kind: 'choose-project', name: text }
        : { kind: 'new-assignment', projectId, name: text },
    ),
})

/** Finds the project of a new assignment, the ones opened last first. */
export async function findProjects(
  { api }: Services,
  { title, onChoose }: { readonly title: string; onChoose(projectId: string): void },
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const query = { search: text.trim(), sortColumn: 'name', pageSize: 100 } as const
  const { data } = await api.list('project', query, signal)
  const recentIds = readRecent().map(({ projectId }) => projectId)
  const positionOf = (id: string) => (recentIds.includes(id) ? recentIds.indexOf(id) : recentIds.length)
  return data
    .filter(({ isArchived }) => !isArchived)
    .toSorted((a, b) => positionOf(a.id) - positionOf(b.id))
    .map((project) => ({
      id: project.id,
      name: project.name,
      group: title,
      mark: <ProjectMark project={project} />,
      run: () => onChoose(project.id),
    }))
}

/** The assignments of a person in all projects that both can see. */
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

/** Turns assignments into items, with the marks of their types. */
async function assignmentItems(
  { api, router }: Services,
  rows: readonly Pick<Assignment, 'id' | 'name' | 'projectId' | 'number' | 'assignmentTypeId'>[],
  group: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ projectId }) => projectId)
  const [projects, types] = await Promise.all([
    loadByIds(api, 'project', ids, signal),
    api.list('assignmentType', catalogQuery, signal),
  ])
  const typeNames = new Map(types.data.map(({ id, name }) => [id, name]))
  return rows.map(({ id, name, projectId, number, assignmentTypeId }) => {
    const project = projects.get(projectId)
    return {
      id,
      name,
      group,
      note: inOneLine(assignmentKey(project?.key, { number }), project?.name),
      mark: <TypeShape name={typeNames.get(assignmentTypeId) ?? ''} />,
      run: () => router.go(assignmentPath(projectId, id)),
    }
  })
}

const projectItem = (
  project: Pick<RecordOf<'project'>, 'id' | 'name' | 'color'>,
  group: string,
  router: Services['router'],
): PaletteItem => ({
  id: project.id,
  name: project.name,
  group,
  mark: <ProjectMark project={project} />,
  run: () => router.go(projectPath(project.id)),
})

async function findRecords(
  services: Services,
  text: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const { api, configuration, people, router, tracker } = services
  const query = { search: text, pageSize: candidatesMax, sortColumn: 'name' } as const
  const bestOf = <Named extends { readonly name: string }>(all: readonly Named[]) =>
    sortByMatch(all, text).slice(0, resultsMax)
  const [projects, assignments, named, foundPeople, views] = await Promise.all([
    api.list('project', query, signal),
    api.list('assignment', query, signal),
    configuration.extensions ? findByKey(tracker, text, signal) : undefined,
    people.search(text, signal),
    configuration.extensions ? findViews(services, query, signal) : [],
  ])
  const found = [...(named ? [named] : []), ...bestOf(assignments.data).filter(({ id }) => id !== named?.id)]
  const foundItems = await assignmentItems(services, found, t('Assignments'), signal)
  return [
    // A key names exactly one assignment, which therefore comes first.
    ...(named ? foundItems : []),
    ...bestOf(projects.data).map((project) => projectItem(project, t('Projects'), router)),
    ...(named ? [] : foundItems),
    ...bestOf(views),
    ...bestOf(foundPeople).map((person) => ({
      id: person.id,
      name: person.name,
      group: t('People'),
      mark: <PersonAvatar id={person.id} isDecorative />,
      next: () => personStep(services, person),
    })),
  ]
}

/** The user's own saved views, and those that others share with their projects. */
async function findViews(
  { api, router, session }: Services,
  query: { readonly search: string; readonly pageSize: number; readonly sortColumn: 'name' },
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  const [own, shared] = await Promise.all([
    api.list('savedView', { ...query, userId: session.person.peek()?.id }, signal),
    api.list('projectView', query, signal),
  ])
  // Programs may save views that no page shows.
  return [...own.data, ...shared.data].flatMap(({ id, name, address }): readonly PaletteItem[] => {
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
  const items = await assignmentItems(services, [...assignments.values()], t('Recent'), signal)
  return recent
    .flatMap(({ projectId, assignmentId }): readonly PaletteItem[] => {
      const project = projects.get(projectId)
      if (assignmentId !== undefined) return items.filter(({ id }) => id === assignmentId)
      return project ? [projectItem(project, t('Recent'), router)] : []
    })
    .slice(0, recentMax)
}
