import { useEffect } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { loadAll, loadByIds } from '../api/load-all.ts'
import { assignmentKey, findByKey } from '../assignment/assignment-key.ts'
import { changeAssignment } from '../assignment/change-assignment.ts'
import { labelChoices } from '../assignment/labels-section.tsx'
import { parsePriority, priorityChoices } from '../assignment/priority.ts'
import { assignedTo, responsibleOf } from '../data/planned.ts'
import { choosableStages, loadStages } from '../data/project-stages.ts'
import { readStoredJson } from '../data/stored-json.ts'
import { labelQuery } from '../data/use-project-labels.ts'
import { assignmentPath, matchPath, projectPath } from '../router/router.ts'
import { viewParameter } from '../screens/project/view-address.ts'
import { currentDensity } from '../services/appearance.ts'
import { type Services, useServices } from '../services/services.ts'
import { changeSettings, chooseLanguage, themeSwitch } from '../services/settings.ts'
import { currentLanguage, languages } from '../texts/language.ts'
import { inOneLine, t } from '../texts/text.ts'
import { PersonAvatar } from '../ui/avatar.tsx'
import { matchesWords } from '../ui/combobox.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { ProjectMark } from '../ui/page.tsx'
import { findResponsible } from '../ui/person-picker.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'

type Assignment = RecordOf<'assignment'>

/** A command of the frame, such as a place to go to. */
export interface Command {
  readonly group: string
  readonly icon: IconName
  readonly label: string
  readonly keys?: readonly string[]
  run(): void
}

/** The limit for projects, assignments and people each. Users type more to find others. */
const resultsMax = 6

const toItem = ({ icon, label, ...rest }: Command): PaletteItem => ({
  ...rest,
  id: label,
  name: label,
  mark: <Icon name={icon} />,
})

/** Shows what was opened last and what can be done, and finds both by name. `targetId` is the focused or open assignment. */
export function firstStep(
  services: Services,
  commands: readonly Command[],
  targetId: string | undefined,
): PaletteStep {
  const { api } = services
  const settings = settingsOf(services).map(toItem)
  return {
    title: t('Search or run a command'),
    placeholder: t('Project, assignment, person or action'),
    async find(input, signal) {
      const text = input.trim()
      // Without the target or the recent items, the palette is still useful.
      const [target, recent, found] = await Promise.all([
        targetId === undefined ? undefined : api.get('assignment', targetId).catch(() => undefined),
        text === '' ? loadRecent(services, signal).catch(() => []) : [],
        text === '' ? [] : findRecords(services, text, signal),
      ])
      const actions = [
        ...(target ? actionsOn(services, target) : []),
        ...commands.map(toItem),
        ...settings,
      ].filter(({ name }) => matchesWords(name, text))
      return [...recent, ...actions, ...found]
    },
  }
}

/** The pages of the open project, and the tools that its page shows. */
export function projectCommands({ configuration, router }: Services, projectId: string): readonly Command[] {
  const group = t('This project')
  const page = (icon: IconName, label: string, path: string): Command => ({
    group,
    icon,
    label,
    run: () => router.go(projectPath(projectId, path)),
  })
  const tool = (icon: IconName, label: string, selector: string): readonly Command[] => {
    const button = document.querySelector<HTMLElement>(`main ${selector}`)
    // The palette closes first, and returns the focus.
    return button === null ? [] : [{ group, icon, label, run: () => setTimeout(() => button.click()) }]
  }
  const saveAsTable = tool('download', t('Export…'), '[data-tool=export]')
  return [
    ...tool('filter', t('Filter'), '.filter-button'),
    ...tool('bookmark', t('Save view'), '[data-tool=save-view]'),
    // The list is what is saved as a table.
    ...(saveAsTable.length > 0 ? saveAsTable : [page('download', t('Export…'), '?view=list')]),
    ...(configuration.extensions ? [page('folder', t('Import'), '/import')] : []),
    page('clock', t('Activity'), '/activity'),
    page('chart', t('Hours'), '/report'),
    page('gear', t('Settings'), '/settings'),
  ]
}

function settingsOf(services: Services): readonly Command[] {
  const group = t('Appearance')
  const isDense = currentDensity.peek() === 'compact'
  return [
    { ...themeSwitch(services), group },
    {
      group,
      icon: 'list',
      label: isDense ? t('Use comfortable density') : t('Use compact density'),
      run: () => void changeSettings(services, { density: isDense ? 'comfortable' : 'compact' }),
    },
    ...languages
      .filter(({ id }) => id !== currentLanguage().id)
      .map(({ id, name }) => ({
        group,
        icon: 'person' as const,
        label: t('Language: {name}', { name }),
        run: () => void chooseLanguage(services, id),
      })),
  ]
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

/** Chooses the project of a new assignment, where the screen shows none. */
export function projectStep(services: Services, onChoose: (projectId: string) => void): PaletteStep {
  const title = t('New assignment in…')
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const query = { search: text.trim(), sortColumn: 'name', pageSize: 100 } as const
      const { data } = await services.api.list('project', query, signal)
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
    },
  }
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

const recentKey = 'tracker.recent'
const recentMax = 5

interface Recent {
  readonly projectId: string
  /** Missing for the project itself. */
  readonly assignmentId?: string
}

/** Reads what was opened last, newest first. Names are not stored, because they may change, and the user may lose access. */
const readRecent = () => readStoredJson<readonly Recent[]>(recentKey) ?? []

/** Stores which projects and assignments are opened. */
export function useRecent(): void {
  const { pathname } = useServices().router.address.value
  useEffect(() => {
    const { projectId, assignmentId } =
      matchPath('/projects/:projectId', pathname) ??
      matchPath('/projects/:projectId/assignments/:assignmentId', pathname) ??
      {}
    if (projectId === undefined) return
    const opened: Recent = { projectId, ...(assignmentId !== undefined && { assignmentId }) }
    const others = readRecent().filter(
      (one) => one.projectId !== projectId || one.assignmentId !== assignmentId,
    )
    localStorage.setItem(recentKey, JSON.stringify([opened, ...others].slice(0, 2 * recentMax)))
  }, [pathname])
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
