import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function subAssignmentJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('can be added by name and removed from their parent', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('In parts')
    const whole = await make('Build the lander', 0, 3)
    const painted = await make('Paint the legs', 1, 2)
    const page = await signIn('mara@example.com', `${path}/assignments/${whole}`)
    const panel = page.locator('.panel')
    const newPart = panel.getByRole('textbox', { name: 'Name of the new sub-assignment' })
    const opener = panel.getByRole('button', { name: 'Sub-assignment', exact: true })
    await opener.click()
    await newPart.and(page.locator(':focus')).waitFor()
    // Escape closes only the field, and the focus returns.
    await newPart.press('Escape')
    await newPart.waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).press('Enter')
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
    await panel.getByRole('button', { name: 'Relation' }).click()
    await page.getByRole('menuitem', { name: 'Part of…' }).click()
    const parent = panel.getByRole('combobox', { name: 'Make it a part of another assignment' })
    await parent.fill('Build')
    await page.getByRole('option', { name: 'Build the lander' }).click()
    await panel.getByRole('link', { name: 'Build the lander' }).click()
    await panel.getByText('1 of 2 done').waitFor()
  })

  for (const { device, options } of [
    { device: 'a desktop', options: {} },
    { device: 'a phone', options: { viewport: { width: 390, height: 844 }, hasTouch: true } },
  ])
    test(`are counted on cards and nested in the list, on ${device}`, async () => {
      const { signIn, workspace } = setup()
      const { stages } = workspace
      const { path, make } = await makeProject(`Nested on ${device}`)
      const whole = await make('The whole', 0, 4)
      await make('Something else', 0, 2)
      const first = await make('First part', 0, 1, { workflowId: stages.Done })
      const second = await make('Second part', 0, 3)
      const partOfPart = await make('Part of a part', 0, 1)
      const setParent = (id: string, parentId: string) =>
        workspace.call('PATCH', '/ext/assignment', { id, parentId })
      await setParent(first, whole)
      await setParent(second, whole)
      await setParent(partOfPart, second)
      const page = await signIn('mara@example.com', path, options)
      const mark = (id: string) => page.locator(`[data-row="${id}"] .parts-mark`)
      await mark(whole).waitFor()
      const requestedUrls: string[] = []
      page.on('request', (request) => requestedUrls.push(request.url()))
      await page.reload()
      await mark(whole).getByText('1/2').waitFor()
      await mark(second).getByText('0/1').waitFor()
      assert.equal(await mark(first).count(), 0)
      // One request counts the parts of all cards; late changes may repeat it.
      const countingUrls = new Set(requestedUrls.filter((url) => url.includes('/ext/query/assignments')))
      assert.ok(countingUrls.size <= 2, [...countingUrls].join('\n'))
      await workspace.call('PATCH', '/ext/assignment', { id: second, workflowId: stages.Done })
      await mark(whole).getByText('2/2').waitFor()
      await workspace.call('PATCH', '/ext/assignment', { id: second, workflowId: stages.Backlog })
      await mark(whole).getByText('1/2').waitFor()

      await page.getByRole('button', { name: 'Move The whole to…' }).click()
      await page.getByRole('menuitem', { name: 'Done' }).click()
      await page.getByText('1 part is still open.').waitFor()
      await page.keyboard.press('Control+z')
      await page.getByRole('region', { name: 'Backlog' }).getByRole('link', { name: 'The whole' }).waitFor()

      await page.goto(`${new URL(page.url()).origin}${path}?view=list`)
      await mark(whole).getByText('1/2').waitFor()
      const names = await page.locator('.list-row .list-link').allTextContents()
      // Assignments that are done come last among the parts of the same parent.
      assert.deepEqual(names, ['Something else', 'The whole', 'Second part', 'Part of a part', 'First part'])
      const depths = await page
        .locator('.list-row .list-name')
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-depth') ?? '0'))
      assert.deepEqual(depths, ['0', '0', '1', '2', '1'])
      await assertAccessible(page, `a nested list on ${device}`)
      const marksOutsideRow = await page.locator('.list-row').evaluateAll((rows) =>
        rows.flatMap((row) => {
          const { top, right, bottom } = row.getBoundingClientRect()
          return [...row.querySelectorAll('.parts-mark')]
            .filter((mark) => {
              const box = mark.getBoundingClientRect()
              return box.bottom > bottom || box.top < top || box.right > right
            })
            .map(({ outerHTML }) => outerHTML)
        }),
      )
      assert.deepEqual(marksOutsideRow, [])
    })
}
