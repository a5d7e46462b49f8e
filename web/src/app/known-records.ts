import type { Api, RecordOf } from '../api/api.ts'
import { type ById, byId, loadAll, loadOnce, rowsMax } from '../api/load-all.ts'
import { doneStagesOf } from '../assignment/assignment-values.ts'
import { type StageLook, stageLooksOf, stagesOf, stagesQuery } from '../data/project-stages.ts'
import { matchPath } from '../router/router.ts'
import type { Services } from '../services/services.ts'
import { createSearch, type Search } from '../ui/fuzzy.ts'

type Named = { readonly id: string; readonly name: string }

/** A saved view of this client, with its project. */
export interface KnownView extends Named {
  readonly address: string
  readonly projectName: string
}

/** The records that the palette finds without the server. */
export interface KnownRecords {
  readonly projects: Search<RecordOf<'project'>>
  readonly people: Search<Named>
  readonly views: Search<KnownView>
  /** The kinds for which the server may have more records than were loaded. */
  readonly cut: ReadonlySet<'projects' | 'people'>
  readonly projectsById: ById<RecordOf<'project'>>
  lookOf(assignment: Pick<RecordOf<'assignment'>, 'projectId' | 'workflowId'>): StageLook | undefined
}

/** A value that is loaded when it is needed. */
export interface LazyValue<Value> {
  /** Undefined until it is loaded. */
  readonly current: Value | undefined
  load(): Promise<Value>
}

/** Loads the value once. After a failure, the next call loads it again. */
export function createLazyValue<Value>(load: () => Promise<Value>): LazyValue<Value> {
  let current: Value | undefined
  return {
    get current() {
      return current
    },
    load: loadOnce(async () => {
      current = await load()
      return current
    }),
  }
}

/** Only this many pages of a kind are loaded. */
const pagesMax = 5
/** Changes by other users are found after this time at the latest. */
const freshMilliseconds = 60_000
const resources: ReadonlySet<string> = new Set([
  'all',
  'project',
  'projectStage',
  'projectView',
  'savedView',
  'user',
  'workflow',
])

const knownByApi = new WeakMap<Api, LazyValue<KnownRecords>>()

/**
 * Returns the records that the palette knows. They are reloaded after a write of this tab, or when they are
 * a minute old. During a reload, the previous records are used.
 */
export function knownRecordsOf(services: Services): LazyValue<KnownRecords> {
  const known = knownByApi.get(services.api) ?? createKnownRecords(services)
  knownByApi.set(services.api, known)
  return known
}

function createKnownRecords(services: Services): LazyValue<KnownRecords> {
  const { api, session } = services
  const ownId = () => session.person.peek()?.id
  let latest: { readonly ownerId: string | undefined; readonly records: LazyValue<KnownRecords> } | undefined
  let previous: KnownRecords | undefined
  let staleAt = 0
  api.onChange((name) => {
    if (resources.has(name)) staleAt = 0
  })
  return {
    get current() {
      return latest?.ownerId === ownId() ? (latest?.records.current ?? previous) : undefined
    },
    load() {
      const ownerId = ownId()
      if (latest === undefined || latest.ownerId !== ownerId || Date.now() >= staleAt) {
        previous = this.current
        latest = { ownerId, records: createLazyValue(() => loadKnownRecords(services)) }
        staleAt = Date.now() + freshMilliseconds
      }
      return latest.records.load()
    },
  }
}

async function loadKnownRecords(services: Services): Promise<KnownRecords> {
  const { api, people } = services
  const { signal } = new AbortController()
  const [projects, persons, views, lookOf] = await Promise.all([
    loadAll(api, 'project', { sortColumn: 'name' }, { pagesMax, signal }),
    people.search('', signal, { max: rowsMax }),
    loadViews(services, signal),
    loadLooks(services, signal),
  ])
  const projectsById = byId(projects.rows)
  const knownViews = views.flatMap(({ id, name, address }): readonly KnownView[] => {
    const { projectId } = matchPath('/projects/:projectId', (address ?? '').split('?', 1)[0] ?? '') ?? {}
    // Other API clients may save views without an address of this client.
    if (!address || projectId === undefined) return []
    return [{ id, name, address, projectName: projectsById.get(projectId)?.name ?? '' }]
  })
  return {
    projects: createSearch(
      projects.rows.map((project) => ({
        ...project,
        words: `${project.key ?? ''} ${project.description ?? ''}`,
      })),
    ),
    people: createSearch(persons),
    views: createSearch(knownViews.map((view) => ({ ...view, words: view.projectName }))),
    cut: new Set([
      ...(projects.isCut ? (['projects'] as const) : []),
      ...(persons.length === rowsMax ? (['people'] as const) : []),
    ]),
    projectsById,
    lookOf,
  }
}

/** Loads the stages of all projects, and returns a function that finds the look of a stage. */
async function loadLooks(
  { api, configuration }: Services,
  signal: AbortSignal,
): Promise<KnownRecords['lookOf']> {
  const [workflows, choices] = await Promise.all([
    api.list('workflow', stagesQuery, signal),
    configuration.extensions
      ? loadAll(api, 'projectStage', { sortColumn: 'order' }, { pagesMax, signal })
      : undefined,
  ])
  const choicesByProject = Map.groupBy(choices?.rows ?? [], ({ projectId }) => projectId)
  return ({ projectId, workflowId }) => {
    const stages = stagesOf(workflows.data, choicesByProject.get(projectId) ?? [])
    return stageLooksOf(stages, doneStagesOf(projectId, stages)).get(workflowId)
  }
}

/** Loads the personal views and the shared views of projects. */
async function loadViews({ api, configuration, session }: Services, signal: AbortSignal) {
  if (!configuration.extensions) return []
  const options = { pagesMax, signal }
  const [personal, shared] = await Promise.all([
    loadAll(api, 'savedView', { userId: session.person.peek()?.id, sortColumn: 'name' }, options),
    loadAll(api, 'projectView', { sortColumn: 'name' }, options),
  ])
  return [...personal.rows, ...shared.rows]
}
