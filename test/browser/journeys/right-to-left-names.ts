import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addDays, mondayOf, today } from '../../../web/src/time/days.ts'
import { goWithin } from '../support/every-screen.ts'
import { readingFaultsOf } from '../support/reading-order.ts'
import type { Stage } from '../support/stage.ts'

const monday = mondayOf(today())
/** They end and begin with digits, whose direction follows the adjacent text. */
const names = {
  person: 'ليلى حداد 7',
  project: 'רציף 12',
  assignment: '3 לצבוע את הקיר',
  type: 'بناء 1',
  impediment: 'ממתינים 4',
  stage: 'בתור 6',
  note: 'דיברנו 5',
}

export function rightToLeftJourneys(stage: () => Stage): void {
  const furnish = async () => {
    const { make, join, organizationId, impedimentId, mara, assignment, change } = stage().workspace
    const login = 'layla@example.com'
    const { id: userId } = await join('Layla')
    await change('PATCH', 'user', { id: userId, name: names.person, login })
    const { id: projectId } = await make('project', { name: names.project, organizationId })
    for (const id of [userId, mara.id]) await make('userProject', { projectId, userId: id })
    const { id: typeId } = await make('assignmentType', { name: names.type })
    const { id: kindId } = await make('impediment', { name: names.impediment })
    const its = {
      projectId,
      userId,
      assignmentTypeId: typeId,
      startDate: monday,
      endDate: addDays(monday, 2),
    }
    const assignmentId = await assignment(names.assignment, its)
    for (const [day, hours] of [
      [monday, 2.5],
      [addDays(monday, -7), 1.5],
    ])
      await make('appointment', {
        assignmentId,
        userId,
        keepDate: day,
        amountHours: hours,
        description: names.note,
      })
    await make('assignmentImpediment', { assignmentId, impedimentId: kindId, description: names.note })
    await make('assignmentImpediment', { assignmentId, impedimentId })
    await make('userAssignment', { assignmentId, userId: mara.id })
    const removed = await assignment('5 הוסר', { ...its, description: names.note })
    await change('DELETE', 'assignment', { ids: [removed] })
    const entry = await make('appointment', { assignmentId, userId, keepDate: monday, amountHours: 1 })
    await change('DELETE', 'appointment', { ids: [entry.id] })
    return { login, projectId, assignmentId }
  }

  test('are among dates, hours and words without reordering them, on every screen', async () => {
    const { login, projectId, assignmentId } = await furnish()
    const page = await stage().signIn(login, '/my-work')
    const faults: string[] = []
    const look = async (where: string) => {
      for (const fault of await readingFaultsOf(page, [...Object.values(names), '5 הוסר']))
        faults.push(`${where}: ${fault}`)
    }
    const project = `/projects/${projectId}`
    const shown: readonly (readonly [path: string, name: string])[] = [
      ['/my-work', names.assignment],
      ['/projects', names.project],
      [project, names.assignment],
      [`${project}?view=list&group=person`, names.assignment],
      [`${project}?view=calendar`, names.assignment],
      [`${project}?view=timeline`, names.assignment],
      [`${project}/assignments/${assignmentId}`, names.note],
      [`${project}/activity`, names.assignment],
      [`${project}/report`, names.assignment],
      ['/week', names.assignment],
      ['/impediments', names.impediment],
      ['/reports', names.project],
      ['/reports/sums?period=year&by=project&second=week', names.project],
      ['/removed/all', '5 הוסר'],
      ['/account', 'New password'],
    ]
    for (const [path, name] of shown) {
      await goWithin(page, path)
      await page.locator('main').getByText(name).locator('visible=true').first().waitFor()
      await look(path)
    }
    await lookInFront(page, project, look)
    assert.deepEqual(faults, [])
  })
}

type Look = (where: string) => Promise<void>

/** Dialogs, and what is said. */
async function lookInFront(page: Page, project: string, look: Look): Promise<void> {
  await goWithin(page, project)
  await page.getByRole('button', { name: 'Members…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Invite someone new' }).click()
  await dialog.getByText('Until').waitFor()
  await look('members')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await goWithin(page, `${project}?view=timeline`)
  await page.locator('.timeline .bar').first().focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.locator('.toast').waitFor()
  await look('a moved bar')
  await goWithin(page, '/week')
  await page.getByRole('button', { name: 'Copy last week…' }).click()
  await page.locator('.copy-rows').getByText(names.assignment).waitFor()
  await look('a copied week')
}
