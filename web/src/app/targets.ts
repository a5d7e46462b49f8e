import { matchPath } from '../router/router.ts'
import { selectedIds } from '../screens/project/selected-ids.ts'

/** Returns the id of the assignment in the open panel. */
const openIdOf = (pathname: string): string | undefined =>
  matchPath('/projects/:projectId/assignments/:assignmentId', pathname)?.assignmentId

const idOf = (element: HTMLElement | null | undefined): string | undefined =>
  element?.dataset.row ?? element?.id.slice('card-'.length)

/** Returns the id of the assignment whose card, row or bar contains the element. */
export const findIdAt = (element: Element | null): string | undefined =>
  idOf(element?.closest<HTMLElement>('[data-row], [id^="card-"]'))

/** Returns where a value is chosen: next to the cell of a list, the card, or the name in a row. */
export const placeOf = (id: string | undefined, field: string): Element | undefined =>
  document.querySelector(`.list-row[data-row="${id}"] [data-field="${field}"]`) ??
  document.querySelector(`.card[data-row="${id}"], .work-row[data-row="${id}"] a`) ??
  undefined

/** Returns the id of the assignment whose card, row or bar is focused. */
const focusedId = () => findIdAt(document.activeElement)

/** Returns the id of the assignment whose card or row is under the pointer. */
const pointedId = () =>
  idOf(document.querySelector<HTMLElement>('.list-row:hover, .work-row:hover, .card:hover [id^="card-"]'))

const isInPanel = (): boolean => document.activeElement?.closest('.panel') != null

/** Returns the id of the focused assignment, else of the one under the pointer, else of the open one. */
export const findTargetId = (pathname: string): string | undefined =>
  focusedId() ?? (isInPanel() ? undefined : pointedId()) ?? openIdOf(pathname)

/** Returns the ids of selected assignments unless the focus is in the panel, or else the id of the target. */
export function findTargetIds(pathname: string): readonly string[] {
  if (!isInPanel() && selectedIds.peek().length > 0) return selectedIds.peek()
  const targetId = findTargetId(pathname)
  return targetId === undefined ? [] : [targetId]
}
