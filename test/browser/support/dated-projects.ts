import type { Page } from 'playwright-core'
import { addDays, mondayOf, today } from '../../../web/src/time/days.ts'
import type { BrowserSetup } from './browser-setup.ts'

export const monday = mondayOf(today())

/** Locates the bar of an assignment in a calendar or a timeline. */
export const bar = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`^${name} `) })

/** Returns helpers for projects whose assignments lie in this week. */
export function datedProjects(setup: () => BrowserSetup) {
  /** Creates a separate project with Mara and Jonas, so that its content is known. */
  const makeProject = async (name: string) => {
    const { workspace } = setup()
    const { id: projectId } = await workspace.make('project', {
      name,
      organizationId: workspace.organizationId,
    })
    for (const userId of [workspace.mara.id, workspace.jonas.id])
      await workspace.make('userProject', { projectId, userId })
    /** Creates an assignment. Its days are counted from 0, the Monday of this week. */
    const make = (title: string, startDay: number, endDay: number, more = {}) =>
      workspace.assignment(title, {
        projectId,
        startDate: addDays(monday, startDay),
        endDate: addDays(monday, endDay),
        ...more,
      })
    return { projectId, path: `/projects/${projectId}`, make }
  }
  const dayOf = async (id: string, field: 'startDate' | 'endDate') =>
    String((await setup().workspace.get('assignment', id))[field]).slice(0, 10)
  return { makeProject, dayOf }
}
