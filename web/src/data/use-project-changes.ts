import { useEffect } from 'preact/hooks'
import type { ResourceName } from '../api/api.ts'
import { followProject } from '../api/project-changes.ts'
import { useServices } from '../services/services.ts'

/** The lists of a project page that have no live listing of their own. */
const followed: readonly ResourceName[] = [
  'assignment',
  'projectStage',
  'label',
  'assignmentLabel',
  'assignmentDependency',
  'attachment',
]

/** Lets the lists of a project page reload after changes by other users, all over one connection. Without the extensions there are none. */
export function useProjectChanges(projectId: string): void {
  const { api, configuration, session, tracker } = useServices()
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(
    () =>
      configuration.extensions && isSignedIn
        ? followProject(tracker, projectId, followed, api.announce)
        : undefined,
    [api, tracker, configuration, projectId, isSignedIn],
  )
}
