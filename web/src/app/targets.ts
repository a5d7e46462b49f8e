import { matchPath } from '../router/router.ts'
import { selectedIds } from '../screens/project/selected-ids.ts'

/** Returns the assignment of the open panel. */
const openIdOf = (pathname: string): string | undefined =>
  matchPath('/projects/:projectId/assignments/:assignmentId', pathname)?.assignmentId

/** Returns the assignment of the focused card, row or bar. */
function focusedId(): string | undefined {
  const focused = document.activeElement?.closest<HTMLElement>('[data-row], [id^="card-"]')
  return focused?.dataset.row ?? focused?.id.slice('card-'.length)
}

/** Returns the assignment of the focused card, else the open one. */
export const findTarget = (pathname: string): string | undefined => focusedId() ?? openIdOf(pathname)

/** Returns the selected assignments of a list, unless the focus is in the panel; else the focused or the open one. */
export function findTargetIds(pathname: string): readonly string[] {
  const isInPanel = document.activeElement?.closest('.panel') != null
  if (!isInPanel && selectedIds.peek().length > 0) return selectedIds.peek()
  return [findTarget(pathname) ?? []].flat()
}
