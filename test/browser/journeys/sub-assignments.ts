import { test } from 'node:test'
import { datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function subAssignmentJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  test('are added by name, counted when they are done, taken out, and given a parent', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('In parts')
    const whole = await make('Build the lander', 0, 3)
    const painted = await make('Paint the legs', 1, 2)
    const page = await signIn('mara@example.com', `${path}/assignments/${whole}`)
    const panel = page.locator('.panel')
    const newPart = panel.getByRole('textbox', { name: 'Name of the new sub-assignment' })
    for (const name of ['Weld the frame', 'Fit the legs']) {
      await newPart.fill(name)
      await newPart.press('Enter')
      await panel.getByRole('link', { name }).waitFor()
    }
    await panel.getByText('0 of 2 done').waitFor()
    await assertAccessible(page, 'sub-assignments')

    await panel.getByRole('link', { name: 'Weld the frame' }).click()
    await page.getByRole('complementary', { name: 'Weld the frame' }).waitFor()
    await panel.getByRole('link', { name: 'Build the lander' }).waitFor()
    await panel.getByLabel('Stage', { exact: true }).selectOption('Done')
    await panel.getByRole('link', { name: 'Build the lander' }).click()
    await panel.getByText('1 of 2 done').waitFor()
    await panel.getByRole('button', { name: 'Remove Fit the legs from the sub-assignments' }).click()
    await panel.getByText('1 of 1 done').waitFor()

    await page.goto(page.url().replace(whole, painted))
    const parent = panel.getByRole('combobox', { name: 'Make it a part of another assignment' })
    await parent.fill('Build')
    await page.getByRole('option', { name: 'Build the lander' }).click()
    await panel.getByRole('link', { name: 'Build the lander' }).click()
    await panel.getByText('1 of 2 done').waitFor()
  })
}
