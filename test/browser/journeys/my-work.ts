import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, daysBetween, mondayOf, today } from '../../../web/src/time/days.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function myWorkJourneys(stage: () => Stage): void {
  test('is where one begins: overdue, today and blocked over all projects, and what is done is gone', async () => {
    const { hosts, signIn, workspace } = stage()
    const person = await workspace.join('Wanda Worker')
    const of = (name: string, days: number, values = {}) =>
      workspace.assignment(name, {
        userId: person.id,
        startDate: addDays(today(), -9),
        endDate: addDays(today(), days),
        ...values,
      })
    await of('Late thing', -2)
    const now = await of('Thing of today', 0)
    await of('Done thing', -3, { workflowId: workspace.stages.Done })
    // Begun, and due on the first day after the next week.
    await of('Far thing', daysBetween(today(), addDays(mondayOf(today()), 14)))
    const assignmentId = await of('Stuck thing', 1)
    await workspace.make('assignmentImpediment', { assignmentId, impedimentId: workspace.impedimentId })
    const page = await signIn(person.login, '/projects')
    await page.goto(`${hosts.web}/`)
    await page.waitForURL('**/my-work')
    await page.getByRole('region', { name: 'Overdue' }).getByRole('link', { name: 'Late thing' }).waitFor()
    await page.getByRole('region', { name: 'Blocked' }).getByText('Blocked since today').waitFor()
    assert.equal(await page.getByText('Done thing').count(), 0)
    await page.getByRole('region', { name: 'Due later' }).getByRole('link', { name: 'Far thing' }).waitFor()
    await assertAccessible(page, 'my work')
    const row = page.getByRole('listitem').filter({ hasText: 'Thing of today' })
    await row.getByRole('button', { name: 'Record time for Thing of today' }).click()
    await row.getByLabel('Hours today for Thing of today').fill('1:30')
    await page.keyboard.press('Enter')
    await page.getByText('1.5 h recorded for Thing of today.').waitFor()
    await row.getByLabel('Stage of Thing of today').selectOption('Done')
    await row.waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', now)).workflowId, workspace.stages.Done)
  })

  test('and everything else is one key away: palette, places, the sheet of shortcuts', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Found by the palette')
    const page = await signIn((await workspace.join('Petra Palette')).login, '/projects')
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Find anything, do anything' })
    await palette.getByRole('option', { name: 'My week' }).waitFor()
    await assertAccessible(page, 'palette')
    // Fast: what was typed counts, not what the list still shows.
    await page.keyboard.type('found by')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/assignments/${id}`)
    await page.getByRole('heading', { name: 'Found by the palette' }).focus()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL('**/week')
    await page.getByRole('heading', { name: 'My week' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to the reports').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    // Typed at once, and nothing of it is lost.
    await page.keyboard.type('sign out')
    assert.equal(await palette.getByRole('combobox').inputValue(), 'sign out')
    await palette.getByRole('option', { name: 'My week' }).waitFor({ state: 'detached' })
    await palette.getByRole('option', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Password').waitFor()
  })
}
