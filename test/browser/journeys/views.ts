import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addDays, showDay } from '../../../web/src/time/days.ts'
import { bar, datedProjects, monday } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

const namesIn = (page: Page) => page.locator('.list-link').allTextContents()

export function viewJourneys(stage: () => Stage): void {
  const { makeProject, dayOf } = datedProjects(stage)

  test('lists assignments sorted, grouped and with the columns one chooses; the address keeps all of it', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Listed')
    await make('Beta', 0, 3, { amountHours: 2 })
    await make('Alpha', 0, 4, { amountHours: 9, workflowId: workspace.stages.Doing })
    await make('Gamma', 0, 2, { amountHours: 5, userId: workspace.jonas.id })
    const page = await signIn('mara@example.com', path)
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await page.getByRole('link', { name: 'Gamma' }).waitFor()
    assert.deepEqual(await namesIn(page), ['Gamma', 'Beta', 'Alpha'])
    await page.getByRole('button', { name: 'Planned' }).click()
    assert.deepEqual(await namesIn(page), ['Beta', 'Gamma', 'Alpha'])
    await page.getByRole('button', { name: 'Planned' }).click()
    await page.locator('th[aria-sort=descending]', { hasText: 'Planned' }).waitFor()
    await page.getByLabel('Group by').selectOption('Stage')
    await page.getByRole('rowheader', { name: 'Doing' }).waitFor()
    assert.deepEqual(await namesIn(page), ['Gamma', 'Beta', 'Alpha'])
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Type' }).click()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('rowheader', { name: 'Backlog' }).waitFor()
    assert.deepEqual(await namesIn(page), ['Gamma', 'Beta', 'Alpha'])
    assert.equal(await page.getByRole('columnheader', { name: 'Type' }).count(), 0)
    assert.equal(await page.getByRole('columnheader', { name: 'Responsible' }).count(), 1)
    // One that another user creates appears.
    await make('Delta', 1, 1)
    await page.getByRole('link', { name: 'Delta' }).waitFor()
    await page.getByRole('button', { name: 'Only Jonas Weber' }).click()
    await page.getByRole('link', { name: 'Delta' }).waitFor({ state: 'detached' })
    assert.deepEqual(await namesIn(page), ['Gamma'])
  })

  test('changes many assignments at once, and undoes those that no other user has changed since', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Changed at once')
    const ids = [await make('One', 0, 1), await make('Two', 0, 2), await make('Three', 0, 3)]
    const [first = '', second = '', third = ''] = ids
    const page = await signIn('mara@example.com', `${path}?view=list`)
    await page.getByLabel('Select One').check()
    await page.getByLabel('Select Three').click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await assertAccessible(page, 'list with a selection')
    await page.getByRole('button', { name: 'Stage of all selected' }).click()
    await page.getByRole('menuitem', { name: 'Doing' }).click()
    await page.getByText('3 assignments: Doing.').waitFor()
    for (const id of ids)
      assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
    // Concurrent changes of another user are kept.
    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', second)),
      name: 'Two, renamed',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByText('One assignment was not changed. It was changed or removed in the meantime.')
      .waitFor()
    assert.equal((await workspace.get('assignment', first)).workflowId, workspace.stages.Backlog)
    assert.equal((await workspace.get('assignment', third)).workflowId, workspace.stages.Backlog)
    assert.equal((await workspace.get('assignment', second)).workflowId, workspace.stages.Doing)
    assert.equal((await workspace.get('assignment', second)).name, 'Two, renamed')
    // With keys: the focused one, then its neighbours, all a week later and for another user.
    await page.getByRole('button', { name: 'Select none' }).click()
    await page.getByRole('link', { name: 'One', exact: true }).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Days of all selected' }).click()
    await page.getByRole('menuitem', { name: 'One week later' }).click()
    await page.getByText('2 assignments: One week later.').waitFor()
    assert.equal(await dayOf(first, 'startDate'), addDays(monday, 7))
    await page.getByRole('button', { name: 'Responsible of all selected' }).click()
    await page.getByRole('menuitem', { name: 'Jonas Weber' }).click()
    await page.getByRole('cell', { name: 'Jonas Weber' }).nth(1).waitFor()
    assert.equal((await workspace.get('assignment', first)).userId, workspace.jonas.id)
    // What has recorded time stays, and does not keep the others.
    const entry = { userId: workspace.mara.id, keepDate: monday, amountHours: 1 }
    await workspace.make('appointment', { assignmentId: second, ...entry })
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('One assignment was removed.').waitFor()
    await page.getByText('One assignment was not removed.').waitFor()
    await page.getByRole('link', { name: 'One', exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(await namesIn(page), ['Three', 'Two, renamed'])
    await page.locator('.toast', { hasText: 'was removed' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'One', exact: true }).waitFor()
  })

  test('shows a month from day to day, and gives other days by dragging and by keys', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('By month')
    const id = await make('Moved about', 1, 2)
    const page = await signIn('mara@example.com', `${path}?view=calendar`)
    await bar(page, 'Moved about').waitFor()
    await bar(page, 'Moved about').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('Moved about is now from').waitFor()
    assert.equal(await dayOf(id, 'startDate'), addDays(monday, 2))
    await page.locator(`#card-${id}:focus`).waitFor()
    const target = page.locator('.calendar-day', { has: page.locator(`time[datetime="${monday}"]`) })
    await bar(page, 'Moved about').dragTo(target, { sourcePosition: { x: 8, y: 8 } })
    const [from, to] = [showDay(monday), showDay(addDays(monday, 1))]
    await page.getByText(`Moved about is now from ${from} to ${to}.`).waitFor()
    assert.equal(await dayOf(id, 'startDate'), monday)
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 1))
    await page.keyboard.press('Control+z')
    await page.getByRole('link', { name: `Moved about ${showDay(addDays(monday, 2))}` }).waitFor()
    await assertAccessible(page, 'calendar')
    await page.getByRole('button', { name: 'Next month' }).click()
    await page.getByRole('button', { name: 'This month' }).click()
    await bar(page, 'Moved about').click()
    await page.getByRole('complementary', { name: 'Moved about' }).waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.keyboard.press('Escape')
    await page.locator('.agenda').getByRole('link', { name: 'Moved about' }).waitFor()
    await assertAccessible(page, 'calendar on a phone')
  })
}
