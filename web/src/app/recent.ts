import { useEffect } from 'preact/hooks'
import { matchPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { readStoredJson } from '../services/stored-json.ts'

const recentKey = 'tracker.recent'
export const recentMax = 5

interface Recent {
  readonly projectId: string
  /** Missing for the project itself. */
  readonly assignmentId?: string
  /** The timestamp of the last opening. Missing in entries that earlier versions have stored. */
  readonly openedAt?: string
}

/**
 * Returns the projects and assignments that were opened last, newest first. Their names are not stored,
 * because they may change, and the user may lose access.
 */
export const readRecent = () => readStoredJson<readonly Recent[]>(recentKey) ?? []

/** Records the projects and assignments that the user opens. */
export function useRecent(): void {
  const { pathname } = useServices().router.address.value
  useEffect(() => {
    const { projectId, assignmentId } =
      matchPath('/projects/:projectId', pathname) ??
      matchPath('/projects/:projectId/assignments/:assignmentId', pathname) ??
      {}
    if (projectId === undefined) return
    const openedAt = new Date().toISOString()
    const opened: Recent = { projectId, ...(assignmentId !== undefined && { assignmentId }), openedAt }
    const otherPages = readRecent().filter(
      (recent) => recent.projectId !== projectId || recent.assignmentId !== assignmentId,
    )
    localStorage.setItem(recentKey, JSON.stringify([opened, ...otherPages].slice(0, 2 * recentMax)))
  }, [pathname])
}
