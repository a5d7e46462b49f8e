import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, today } from '../../../web/src/time/days.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function quickTokenJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  for (const { device, options } of [
    { device: 'a desktop', options: {} },
    { device: 'a phone', options: { viewport: { width: 390, height: 844 }, hasTouch: true } },
  ])
    test(`set user, label, priority and end, on ${device}`, async () => {
      const { signIn, workspace } = setup()
      const { projectId, path } = await makeProject(`Tokens on ${device}`)
      await workspace.make('label', { name: 'Front end', color: 'teal', projectId })
      const page = await signIn('mara@example.com', path, options)
      await page.getByRole('button', { name: 'New assignment in Backlog' }).first().click()
      const field = page.getByLabel('Name of the new assignment in Backlog')
      await page.keyboard.type('Draw the map @jon')
      await page.getByRole('option', { name: 'Jonas Weber' }).waitFor()
      await page.keyboard.press('Enter')
      assert.equal(await field.inputValue(), 'Draw the map @Jonas Weber ')
      await page.keyboard.type('#fr')
      await page.getByRole('option', { name: 'Front end' }).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type('!high with @nobody tomorrow')
      const chips = page.locator('.quick-tokens .label-chip')
      await chips.nth(3).waitFor()
      assert.equal(await chips.count(), 4)
      await assertAccessible(page, `the tokens of a name on ${device}`)
      await page.getByRole('button', { name: 'Keep !high as text' }).click()
      await chips.nth(3).waitFor({ state: 'detached' })
      await page.locator('.quick-add input:focus').waitFor()
      await page.keyboard.press('Enter')
      const card = page.locator('.card').filter({ hasText: 'Draw the map !high with @nobody' })
      await card.getByText('Front end').waitFor()
      await card.getByRole('img', { name: 'Jonas Weber' }).waitFor()
      const id = (await card.getAttribute('data-row')) ?? ''
      const { assignment } = await workspace.call('GET', `/ext/assignment?id=${id}`)
      assert.partialDeepStrictEqual(assignment, {
        name: 'Draw the map !high with @nobody',
        userId: workspace.jonas.id,
        priority: null,
        endDate: `${addDays(today(), 1)}T00:00:00Z`,
      })
    })
}
