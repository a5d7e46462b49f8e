import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { type BrowserSetup, untilSaved } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

/** Tests assignments without a responsible user, or without dates. */
export function unplannedJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)
  const read = async (id: string) =>
    (await setup().workspace.call('GET', `/ext/assignment?id=${id}`)).assignment
  const makeIdea = async (projectId: string, name: string, values = {}) => {
    const { mara, stages, typeId, call } = setup().workspace
    const body = {
      name,
      projectId,
      startDate: '2026-01-05',
      endDate: '2026-01-05',
      amountHours: 0,
      userId: mara.id,
      workflowId: stages.Backlog,
      assignmentTypeId: typeId,
      isUnscheduled: true,
      isUnassigned: true,
      ...values,
    }
    return (await call('POST', '/ext/assignment', body)).assignment.id as string
  }
  const card = (page: Page, name: string) => page.locator('.card', { hasText: name })
  const idOf = async (page: Page, name: string) =>
    ((await page.getByRole('link', { name }).getAttribute('id')) ?? '').replace('card-', '')

  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 800 },
  ])
    test(`are created by their name, and get dates and a user in the panel, at ${viewport.width} pixels`, async () => {
      const { path } = await makeProject(`Ideas ${viewport.width}`)
      const page = await setup().signIn('mara@example.com', path, { viewport })
      await page.getByRole('button', { name: 'New assignment in Backlog' }).first().click()
      await page.getByText('Feature · No dates · Unassigned').waitFor()
      await page.keyboard.type('Fly to the moon\n')
      await card(page, 'Fly to the moon').getByRole('img', { name: 'Unassigned' }).waitFor()
      assert.equal(await card(page, 'Fly to the moon').locator('.due').count(), 0)
      const id = await idOf(page, 'Fly to the moon')
      assert.partialDeepStrictEqual(await read(id), {
        isUnscheduled: true,
        isUnassigned: true,
        userId: setup().workspace.mara.id,
      })
      await page.keyboard.press('Escape')

      await page.getByRole('link', { name: 'Fly to the moon' }).click()
      const panel = page.getByRole('complementary', { name: 'Fly to the moon' })
      const start = panel.getByLabel('Start', { exact: true })
      const end = panel.getByLabel('End', { exact: true })
      const person = panel.getByRole('combobox', { name: 'Responsible' })
      assert.equal(await start.getAttribute('placeholder'), 'No dates – add')
      assert.equal(await person.getAttribute('placeholder'), 'Unassigned – assign')
      await assertAccessible(page, 'an assignment without dates or a person')
      // The user who was stored as a placeholder becomes responsible.
      await person.fill('Mara')
      await Promise.all([untilSaved(page), page.getByRole('option', { name: 'Mara Lindqvist' }).click()])
      await end.fill('2099-12-24')
      await Promise.all([untilSaved(page), end.press('Enter')])
      assert.partialDeepStrictEqual(await read(id), {
        isUnscheduled: false,
        isUnassigned: false,
        endDate: '2099-12-24T00:00:00Z',
      })
      await start.and(page.locator(':not([placeholder-shown])')).waitFor()
      assert.notEqual(await start.inputValue(), '')

      // The date has replaced a placeholder that was not shown. The user has not changed.
      await panel.locator('.change-chip', { hasText: /^End24 Dec 2099$/ }).waitFor()
      await panel.locator('.change-chip', { hasText: /^Responsibleunassignedassigned$/ }).waitFor()

      await start.fill('')
      await Promise.all([untilSaved(page), start.press('Enter')])
      await person.fill('Unassigned')
      await Promise.all([untilSaved(page), page.getByRole('option', { name: 'Unassigned' }).click()])
      assert.partialDeepStrictEqual(await read(id), { isUnscheduled: true, isUnassigned: true })
      await until(async () => (await end.inputValue()) === '', 'no end')
      await until(async () => (await person.inputValue()) === '', 'no person')
    })

  test('are created in the dialog, and on a board that is filtered by a user, with that user', async () => {
    const { path, make } = await makeProject('Of one person')
    await make('Of Jonas before', 0, 1, { userId: setup().workspace.jonas.id })
    const page = await setup().signIn('mara@example.com', `${path}?userId=${setup().workspace.jonas.id}`)
    await page.getByRole('button', { name: 'New assignment in Backlog' }).click()
    await page.getByText('Feature · No dates · Jonas Weber').waitFor()
    await page.keyboard.type('For Jonas\n')
    await card(page, 'For Jonas').getByRole('img', { name: 'Jonas Weber' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'New assignment' })
    await dialog.getByLabel('Name').fill('From the dialog')
    await assertAccessible(page, 'a new assignment without dates')
    await dialog.getByRole('button', { name: 'Create assignment' }).click()
    await card(page, 'From the dialog').getByRole('img', { name: 'Unassigned' }).waitFor()
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    await dialog.getByLabel('Name').fill('Until a day')
    await dialog.getByRole('combobox', { name: 'End' }).click()
    await page.keyboard.type('2099-12-24\n')
    await dialog.locator('.choice-chip', { hasText: '24 Dec 2099' }).waitFor()
    await dialog.getByRole('button', { name: 'Create assignment' }).click()
    await card(page, 'Until a day').locator('.due').waitFor()
    assert.partialDeepStrictEqual(await read(await idOf(page, 'Until a day')), {
      isUnscheduled: false,
      isUnassigned: true,
      endDate: '2099-12-24T00:00:00Z',
    })
  })

  test('have bars only if they have dates; the calendar counts the others, and leads to a list of them', async () => {
    const { projectId, path, make } = await makeProject('Some day')
    const first = await makeIdea(projectId, 'First idea')
    const second = await makeIdea(projectId, 'Second idea')
    await make('With dates', 0, 2)
    await makeIdea(projectId, 'Dated for nobody', { isUnscheduled: false, startDate: today, endDate: today })
    const page = await setup().signIn('mara@example.com', `${path}?view=timeline`)
    await page
      .getByRole('region', { name: 'Unassigned' })
      .getByRole('link', { name: /^Dated for nobody/ })
      .waitFor()
    assert.equal(await page.getByRole('link', { name: /idea/ }).count(), 0)
    await page.getByRole('link', { name: 'Calendar', exact: true }).click()
    await page.getByRole('link', { name: /^With dates/ }).waitFor()
    assert.equal(await page.getByRole('link', { name: /idea/ }).count(), 0)
    await assertAccessible(page, 'a calendar with the number of those without dates')
    // On a phone, an icon and the number leave the name of the period its room.
    await page.setViewportSize({ width: 390, height: 844 })
    for (const view of ['timeline', 'calendar']) {
      await page.goto(`${setup().hosts.web}${path}?view=${view}`)
      await page.getByRole('link', { name: '2 without dates' }).waitFor()
      const isWhole = (range: Element) => range.scrollWidth <= range.clientWidth && range.clientHeight < 36
      assert.ok(await page.locator('.week-range').evaluate(isWhole), view)
      if (view === 'calendar') continue
      await page.getByRole('button', { name: 'Later' }).click()
      await page.getByRole('button', { name: 'Today' }).waitFor()
      assert.ok(await page.locator('.week-range').evaluate(isWhole), 'later')
    }
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.getByRole('link', { name: '2 without dates' }).click()
    await page.waitForURL((url) => url.searchParams.get('dates') === 'none')
    await page.getByRole('link', { name: 'First idea' }).waitFor()
    assert.deepEqual(await page.locator('.list-link').allTextContents(), ['First idea', 'Second idea'])
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByLabel('Group by').selectOption('Responsible')
    await page.keyboard.press('Escape')
    await page.getByRole('rowheader', { name: 'Unassigned' }).waitFor()

    const change = async (menu: string, item: string) => {
      await page.getByRole('button', { name: `${menu} of all selected` }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.getByText(`2 assignments: ${item}.`).waitFor()
    }
    await page.getByRole('checkbox', { name: 'Select all', exact: true }).check()
    await change('Responsible', 'Mara Lindqvist')
    await change('Dates', 'Next week')
    for (const id of [first, second])
      assert.partialDeepStrictEqual(await read(id), { isUnscheduled: false, isUnassigned: false })
    await page.keyboard.press('Control+z')
    await page.getByRole('link', { name: 'First idea' }).waitFor()
    assert.partialDeepStrictEqual(await read(first), { isUnscheduled: true, isUnassigned: false })
    await page.goto(`${setup().hosts.web}${path}?view=list&userId=nobody`)
    await page.getByRole('link', { name: 'Dated for nobody' }).waitFor()
    assert.deepEqual(await page.locator('.list-link').allTextContents(), ['Dated for nobody'])
  })

  test('are in My work of the responsible user', async () => {
    const { projectId } = await makeProject('Mine some day')
    const una = await setup().workspace.join('Una Unplanned')
    await setup().workspace.make('userProject', { projectId, userId: una.id })
    await makeIdea(projectId, 'Nobody has it', { userId: una.id })
    await makeIdea(projectId, 'Una has it', { userId: una.id, isUnassigned: false })
    const page = await setup().signIn('una@example.com', '/my-work')
    await page.getByRole('region', { name: 'No dates' }).getByRole('link', { name: 'Una has it' }).waitFor()
    assert.equal(await page.getByText('Nobody has it').count(), 0)
    assert.equal(await page.getByRole('region', { name: 'Overdue' }).count(), 0)
  })
}

const today = new Date().toISOString().slice(0, 10)
