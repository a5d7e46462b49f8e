import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function labelJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('are created and removed by keyboard', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Labelled')
    const [mara, jonas] = await Promise.all([
      signIn('mara@example.com', `/projects/${workspace.projectId}/assignments/${id}`),
      signIn('jonas@example.com', `/projects/${workspace.projectId}?search=Labelled`),
    ])
    const cardOf = (page: Page) => page.locator(`[data-row="${id}"]`)
    const add = mara.getByRole('combobox', { name: 'Add a label' })
    const suggested = mara.getByRole('listbox', { name: 'Add a label' })
    const chips = mara.locator('.panel .label-chip')
    const addByKeys = async (name: string) => {
      await add.fill(name)
      await suggested.getByRole('option').first().waitFor()
      await add.press('Enter')
      await chips.filter({ hasText: name }).waitFor()
    }
    await addByKeys('Needs design')
    await addByKeys('Urgent')
    for (const page of [mara, jonas])
      for (const name of ['Needs design', 'Urgent']) await cardOf(page).getByText(name).waitFor()
    await assertAccessible(mara, 'labels of an assignment')

    await mara.getByRole('button', { name: 'Remove the label Urgent' }).press('Enter')
    await cardOf(jonas).getByText('Urgent').waitFor({ state: 'detached' })
    await cardOf(jonas).getByText('Needs design').waitFor()
    await mara.getByRole('button', { name: 'Undo' }).click()
    await cardOf(jonas).getByText('Urgent').waitFor()

    await mara.getByRole('button', { name: 'Labels of the project…' }).press('Enter')
    const dialog = mara.getByRole('dialog', { name: 'Labels of the project' })
    await dialog.getByRole('button', { name: 'Edit Urgent' }).press('Enter')
    await dialog.getByLabel('Name').fill('needs DESIGN')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Name is already used by an active label of the project.').waitFor()
    await dialog.getByLabel('Name').fill('At once')
    await dialog.getByLabel('Color').selectOption('Red')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await cardOf(jonas).locator('[data-color=red]').getByText('At once').waitFor()
    await assertAccessible(mara, 'labels of a project')
    await dialog.getByRole('button', { name: 'Remove Needs design' }).click()
    await mara.getByRole('button', { name: 'Remove the label', exact: true }).click()
    await cardOf(jonas).getByText('Needs design').waitFor({ state: 'detached' })

    await dialog.getByRole('button', { name: 'New label' }).press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await mara.getByRole('complementary', { name: 'Labelled' }).waitFor()

    await jonas.goto(`${hosts.web}/projects/${workspace.projectId}?view=list&columns=labels`)
    await jonas
      .getByRole('row', { name: /Labelled/ })
      .getByText('At once')
      .waitFor()
  })

  test('appear after an outage during which they were added, as dependencies do', async () => {
    const { signIn, workspace } = setup()
    const { make } = workspace
    const { projectId, path, make: makeAssignment } = await makeProject('Out of reach')
    const id = await makeAssignment('Far away', 0, 1)
    const other = await makeAssignment('Comes before, with a name that is wider than a card', 0, 1)
    const page = await signIn('mara@example.com', `${path}/assignments/${id}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.getByText(/^(You are offline|Offline\. Showing)/).waitFor()
    const { id: labelId } = await make('label', { name: 'From afar', color: 'teal', projectId })
    await make('assignmentLabel', { assignmentId: id, labelId })
    await make('assignmentDependency', { assignmentId: id, blockedById: other })
    await page.getByRole('combobox', { name: 'Add a label', exact: true }).fill('Typed offline')
    await page.getByRole('option', { name: 'Typed offline' }).click()
    await page.getByRole('region', { name: 'Labels' }).getByText('The server cannot be reached.').waitFor()
    await page.context().setOffline(false)
    const card = page.locator(`[data-row="${id}"]`)
    await card.getByText('From afar').waitFor()
    await card.getByText('Waits for Comes before').waitFor()
    // The name of what it waits for has the whole line, if it needs it, but for the dots of further marks.
    const [line, waits, label] = await Promise.all(
      ['.card-marks', '.note-chip', '.label-chip'].map((part) => card.locator(part).boundingBox()),
    )
    assert.ok(line && waits && label)
    assert.deepEqual([waits.x, waits.width, label.y], [line.x, line.width - 20, waits.y + waits.height + 4])
    await page
      .locator('.panel-group')
      .first()
      .getByRole('link', { name: /^Comes before/ })
      .waitFor()
    // On a phone, too, the name of a field without values is level with what adds them.
    await resize(page, 390, 844)
    const middles = await page
      .locator('.panel-field.unfilled > *')
      .evaluateAll((parts) =>
        parts.map((part) => part.getBoundingClientRect()).map((box) => box.top + box.bottom),
      )
    assert.deepEqual(middles, [middles[0], middles[0]])
  })

  test('are absent without the extensions, as are dependencies, files, and filters for them', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Contract only')
    const path = `/projects/${workspace.projectId}/assignments/${id}`
    const page = await signIn('mara@example.com', '/account')
    const requestedUrls: string[] = []
    await page.route('**/config.json', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), extensions: false } })
    })
    page.on('request', (request) => requestedUrls.push(request.url()))
    await page.goto(`${hosts.web}${path}?labels=${id}&blocked=1`)
    await page.getByRole('button', { name: 'Impediment', exact: true }).waitFor()
    await page.locator(`[data-row="${id}"]`).waitFor()
    for (const name of ['Labels', 'Dependencies', 'Attachments', 'Activity'])
      assert.equal(await page.getByRole('heading', { name }).count(), 0, name)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.locator('.filter-menu-name').first().waitFor()
    assert.deepEqual(await page.locator('.filter-menu-name').allTextContents(), ['Responsible', 'Dates'])
    assert.deepEqual(
      requestedUrls.filter((url) => url.includes('/ext/')),
      [],
    )
  })
}
