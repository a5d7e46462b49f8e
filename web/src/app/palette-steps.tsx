import type { RecordOf } from '../api/api.ts'
import { loadAll, loadByIds } from '../api/load-all.ts'
import { assignmentKey, findByKey } from '../assignment/assignment-key.ts'
import { changeAssignment } from '../assignment/change-assignment.ts'
import { labelChoices } from '../assignment/labels-section.tsx'
import { parsePriority, priorityChoices } from '../assignment/priority.ts'
import { assignedTo, responsibleOf } from '../data/planned.ts'
import { choosableStages, loadStages } from '../data/project-stages.ts'
import { labelQuery } from '../data/use-project-labels.ts'
import { assignmentPath, matchPath, projectPath } from '../router/router.ts'
import { viewParameter } from '../screens/project/view-address.ts'
import type { Services } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { PersonAvatar } from '../ui/avatar.tsx'
import { matchesWords } from '../ui/combobox.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { findResponsible } from '../ui/person-picker.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'
import { type Command, commandsOf, type Frame } from './palette-commands.ts'
import { readRecent, recentMax } from './recent.ts'

type Assignment = RecordOf<'assignment'>

/** The limit for projects, assignments and people each. Users type more to find others. */
const resultsMax = 6

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
  return [...recent, ...actions, ...found]
}

function actionsOn(services: Services, target: Assignment): readonly PaletteItem[] {
  const { extensions } = services.configuration
  const action = (icon: IconName, name: string, next: () => PaletteStep): PaletteItem => ({
    id: name,
    group: target.name,
    name,
    mark: <Icon name={icon} />,
    next,
  })
  return [
    action('move', t('Move to a stage…'), () => moveStep(services, target)),
    action('person', t('Assign to a person…'), () => assignStep(services, target)),
    ...(extensions
      ? [
          action('dot', t('Add or remove a label…'), () => labelStep(services, target)),
          action('warning', t('Set the priority…'), () => priorityStep(services, target)),
        ]
      : []),
  ]
}

function moveStep(services: Services, target: Assignment): PaletteStep {
  const title = t('Move {name} to…', { name: target.name })
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const stages = await loadStages(services, target.projectId, signal)
      return choosableStages(stages, target.workflowId)
        .filter(({ name }) => matchesWords(name, text))
        .map(({ id, name }) => ({
          id,
          name,
          group: title,
          mark: <Icon name="columns" />,
          isCurrent: id === target.workflowId,
          run: () =>
            changeAssignment(services, target.id, { workflowId: id }, () =>
              t('{name} is now in {stage}.', { name: target.name, stage: name }),
            ),
        }))
    },
  }
}

function assignStep(services: Services, target: Assignment): PaletteStep {
  const title = t('Assign {name} to…', { name: target.name })
  return {
    title,
    placeholder: title,
    find: async (text, signal) =>
      (await findResponsible(services, target.projectId, text, signal)).map((option) => ({
        ...option,
        group: title,
        isCurrent: option.id === responsibleOf(target),
        run: () =>
          changeAssignment(services, target.id, assignedTo(option.id), () =>
            t('{person} is now responsible for {name}.', { person: option.name, name: target.name }),
          ),
      })),
  }
}

function labelStep(services: Services, target: Assignment): PaletteStep {
  const { api } = services
  const title = t('Labels of {name}', { name: target.name })
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const [labels, links] = await Promise.all([
        loadAll(api, 'label', labelQuery(target.projectId), { pagesMax: 5, signal }),
        api.list('assignmentLabel', { assignmentId: target.id, pageSize: 100 }, signal),
      ])
      const linkIds = new Map(links.data.map(({ id, labelId }) => [labelId, id]))
      return labelChoices(services, target, text, labels.rows, linkIds).map((choice) => ({
        ...choice,
        group: title,
      }))
    },
  }
}

function priorityStep(services: Services, target: Assignment): PaletteStep {
  const title = t('Priority of {name}', { name: target.name })
  return {
    title,
    placeholder: title,
    find: async (text) =>
      priorityChoices()
        .filter(({ name }) => matchesWords(name, text))
        .map(({ id, name }) => ({
          id: `priority-${id}`,
          name,
          group: title,
          mark: <Icon name="warning" />,
          isCurrent: parsePriority(id) === (target.priority ?? null),
          run: () =>
            changeAssignment(services, target.id, { priority: parsePriority(id) }, () =>
              inOneLine(target.name, name),
            ),
        })),
  }
}

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
function personStep(
  { api, router }: Services,
  person: { readonly id: string; readonly name: string },
): PaletteStep {
  const title = t('Assignments of {name}', { name: person.name })
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const query = { userId: person.id, search: text.trim(), sortColumn: 'endDate', pageSize: 20 } as const
      const { data } = await api.list('assignment', { ...query, sortOrder: 'DESC' }, signal)
      const projects = await loadByIds(
        api,
        'project',
        data.map(({ projectId }) => projectId),
        signal,
      )
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
      return [...here, ...data.map((row) => itemOf(row, projects.get(row.projectId), title, router))]
    },
  }
}

const itemOf = (
  { id, name, projectId, number }: Pick<Assignment, 'id' | 'name' | 'projectId' | 'number'>,
  project: Pick<RecordOf<'project'>, 'key' | 'name'> | undefined,
  group: string,
  router: Services['router'],
): PaletteItem => ({
  id,
  name,
  group,
  note: inOneLine(assignmentKey(project?.key, { number }), project?.name),
  mark: <Icon name="dot" />,
  run: () => router.go(assignmentPath(projectId, id)),
})

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
  const query = { search: text, pageSize: resultsMax, sortColumn: 'name' } as const
  const [projects, assignments, named, foundPeople, views] = await Promise.all([
    api.list('project', query, signal),
    api.list('assignment', query, signal),
    configuration.extensions ? findByKey(tracker, text, signal) : undefined,
    people.search(text, signal),
    configuration.extensions ? findViews(services, query, signal) : [],
  ])
  const found = [...(named ? [named] : []), ...assignments.data.filter(({ id }) => id !== named?.id)]
  const ids = found.map(({ projectId }) => projectId)
  const projectsById = await loadByIds(api, 'project', ids, signal)
  const assignmentItems = found.map((row) =>
    itemOf(row, projectsById.get(row.projectId), t('Assignments'), router),
  )
  return [
    // A key names exactly one assignment, which therefore comes first.
    ...(named ? assignmentItems : []),
    ...projects.data.map((project) => projectItem(project, t('Projects'), router)),
    ...(named ? [] : assignmentItems),
    ...views,
    ...foundPeople.slice(0, resultsMax).map((person) => ({
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
  const [projects, assignments] = await Promise.all([
    loadByIds(
      api,
      'project',
      recent.map(({ projectId }) => projectId),
      signal,
    ),
    loadByIds(
      api,
      'assignment',
      recent.flatMap(({ assignmentId }) => assignmentId ?? []),
      signal,
    ),
  ])
  const items = recent.flatMap(({ projectId, assignmentId }): readonly PaletteItem[] => {
    const project = projects.get(projectId)
    if (assignmentId === undefined) return project ? [projectItem(project, t('Recent'), router)] : []
    const assignment = assignments.get(assignmentId)
    return assignment ? [itemOf(assignment, project, t('Recent'), router)] : []
  })
  return items.slice(0, recentMax)
}
