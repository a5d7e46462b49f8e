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
}

/** Reads what was opened last, newest first. Names are not stored, because they may change, and the user may lose access. */
export const readRecent = () => readStoredJson<readonly Recent[]>(recentKey) ?? []

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
