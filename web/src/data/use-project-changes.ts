import { useEffect } from 'preact/hooks'
import type { Change, ConnectionOptions, LiveAnswer, Tracker } from '#tracker-client'
import type { ResourceName } from '../api/api.ts'
import { openLive } from '../api/live.ts'
import { useServices } from '../services/services.ts'

/**
 * The resources whose lists the panel of an assignment shows. Members are not among them: every page would load
 * them a second time when the connection opens.
 */
export const panelResources: readonly ResourceName[] = [
  'projectStage',
  'label',
  'assignmentLabel',
  'assignmentDependency',
  'assignmentImpediment',
  'userAssignment',
  'comment',
  'attachment',
  'appointment',
]

/** Changes within this time are reported together. */
const batchMilliseconds = 250

/**
 * Reports which resources of a project were changed by any user, over one connection. Each connection begins
 * with a report of all resources, because earlier changes may have been missed.
 */
function followProject(
  tracker: Tracker,
  projectId: string,
  resources: readonly ResourceName[],
  onChange: (name: ResourceName) => void,
): () => void {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const report = () => {
    timer = undefined
    const names = resources.filter((name) => changed.has(name))
    changed.clear()
    for (const name of names) onChange(name)
  }
  const query = { projectId, resource: resources.join(), after: 'now' }
  const close = openLive((options) => withStart(tracker, query, options), {
    onValue(change) {
      for (const name of change === undefined ? resources : [change.resource]) changed.add(name)
      timer ??= setTimeout(report, batchMilliseconds)
    },
    onConnection: () => undefined,
    // The lists themselves show why they cannot be read.
    onProblem: () => undefined,
  })
  return () => {
    close()
    clearTimeout(timer)
  }
}

/** Yields undefined as soon as the connection is open, then each change. */
async function* withStart(
  tracker: Tracker,
  query: { readonly projectId: string; readonly resource: string; readonly after: string },
  { signal, onOpen }: ConnectionOptions,
): AsyncGenerator<LiveAnswer<Change | undefined>, void> {
  const opened = Promise.withResolvers<void>()
  const changes = tracker.connect(
    'GET /ext/changes',
    { query },
    {
      signal,
      onOpen() {
        onOpen?.()
        opened.resolve()
      },
    },
  )
  let next = changes.next()
  // Without a handler, a failure after the consumer has left would be reported as unhandled.
  next.catch(() => undefined)
  await Promise.race([opened.promise, next])
  yield { id: '', answer: undefined }
  for (;;) {
    const result = await next
    if (result.done) return
    yield result.value
    next = changes.next()
  }
}

/**
 * Reloads the lists of these resources on a project page after changes, with one connection for all lists. Does
 * nothing without the extensions.
 */
export function useProjectChanges(projectId: string, resources: readonly ResourceName[]): void {
  const { api, configuration, session, tracker } = useServices()
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(
    () =>
      configuration.extensions && isSignedIn
        ? followProject(tracker, projectId, resources, api.announce)
        : undefined,
    [api, tracker, configuration, projectId, resources.join(), isSignedIn],
  )
}
