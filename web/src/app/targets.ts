import { matchPath } from '../router/router.ts'
import { selectedIds } from '../screens/project/selected-ids.ts'

/** Returns the assignment of the open panel. */
const openIdOf = (pathname: string): string | undefined =>
  matchPath('/projects/:projectId/assignments/:assignmentId', pathname)?.assignmentId

const idOf = (element: HTMLElement | null | undefined): string | undefined =>
  element?.dataset.row ?? element?.id.slice('card-'.length)

/** Returns the assignment of the focused card, row or bar. */
const focusedId = () => idOf(document.activeElement?.closest<HTMLElement>('[data-row], [id^="card-"]'))

/** Returns the assignment of the card or row under the pointer. */
const pointedId = () =>
  idOf(document.querySelector<HTMLElement>('.list-row:hover, .card:hover [id^="card-"]'))

const isInPanel = (): boolean => document.activeElement?.closest('.panel') != null

/** Returns the assignment that is focused, else the one under the pointer, else the open one. */
export const findTarget = (pathname: string): string | undefined =>
  focusedId() ?? (isInPanel() ? undefined : pointedId()) ?? openIdOf(pathname)

/** Returns the selected assignments of a list, unless the focus is in the panel; else the one that is meant. */
export function findTargetIds(pathname: string): readonly string[] {
  if (!isInPanel() && selectedIds.peek().length > 0) return selectedIds.peek()
  return [findTarget(pathname) ?? []].flat()
}
