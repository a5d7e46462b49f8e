import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { limits } from '#tracker-client'
import { sql } from '../../../src/db/sql.ts'
import { until } from '../../support/until.ts'
import { datedProjects } from '../support/dated-projects.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function listCellJourneys(stage: () => Stage): void {
  const { makeProject } = datedProjects(stage)

  test('edits cells in place by click and by keys, shows the change of another user instead of overwriting it, and undoes', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Edited in place')
    const userId = workspace.jonas.id
    const id = await make('Edited', 0, 1, { userId })
    const other = await make('Neighbour', 0, 2, { userId })
    await workspace.make('assignmentDependency', { assignmentId: other, blockedById: id })
    const page = await signIn('mara@example.com', `${path}?view=list`, {
      viewport: { width: 1440, height: 800 },
    })
    const cell = (row: string, column: string) => page.locator(`[data-row="${row}"] .list-${column}`)
    await cell(other, 'blocked').getByTitle('Waits for Edited').waitFor()
    assert.match((await cell(id, 'key').textContent()) ?? '', /^[A-Z]+-1$/)
    await cell(id, 'stage').click()
    await assertAccessible(page, 'list with an edited cell')
    await page.locator('.cell-editor').getByLabel('Stage').selectOption('Doing')
    await page.getByText('Edited is now in Doing.').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
    await page.locator('.list-row [data-column=stage]:focus').waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await cell(id, 'stage').getByText('Backlog').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Backlog)
    // With keys: from the name to the hours; Escape keeps them, Enter saves them.
    await page.getByRole('link', { name: 'Edited', exact: true }).focus()
    for (const column of ['blocked', 'stage', 'priority', 'labels', 'type', 'person', 'end', 'hours']) {
      await page.keyboard.press('ArrowRight')
      await page.locator(`.list-row [data-column=${column}]:focus`).waitFor()
    }
    await page.keyboard.press('Enter')
    const hours = page.locator('.cell-editor').getByLabel('Planned hours')
    await hours.fill('99')
    await page.keyboard.press('Escape')
    await hours.waitFor({ state: 'detached' })
    await page.locator('.list-row [data-column=hours]:focus').waitFor()
    assert.equal((await workspace.get('assignment', id)).amountHours, 8)
    await page.keyboard.press('Enter')
    await hours.fill('5')
    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', id)),
      amountHours: 3,
    })
    await page.keyboard.press('Enter')
    await page.getByText('Someone else has changed this in the meantime.').waitFor()
    assert.equal((await workspace.get('assignment', id)).amountHours, 3)
    await page.getByRole('button', { name: 'Save mine: Planned hours' }).click()
    await page.getByText('Planned hours was changed.').waitFor()
    assert.equal((await workspace.get('assignment', id)).amountHours, 5)
  })

  test('a save that ends late leaves the cell alone that was opened meanwhile, which offers the stages of the project', async () => {
    const { signIn, workspace } = stage()
    const { path, make, projectId } = await makeProject('Edited quickly')
    for (const name of ['Doing', 'Done'])
      await workspace.make('projectStage', { projectId, workflowId: workspace.stages[name], order: 0 })
    const workflowId = workspace.stages.Doing
    const first = await make('Saved late', 0, 1, { workflowId })
    const second = await make('Opened meanwhile', 0, 2, { workflowId })
    const page = await signIn('mara@example.com', `${path}?view=list`, {
      viewport: { width: 1440, height: 800 },
    })
    const cell = (row: string, column: string) => page.locator(`[data-row="${row}"] .list-${column}`)
    const answer = Promise.withResolvers<void>()
    await page.route('**/assignment', async (route) => {
      if (route.request().method() === 'PATCH') await answer.promise
      await route.continue()
    })
    await cell(first, 'hours').click()
    await page.locator('.cell-editor').getByLabel('Planned hours').fill('5')
    await cell(second, 'stage').click()
    const choices = page.locator('.cell-editor').getByLabel('Stage')
    await choices.waitFor()
    assert.deepEqual((await choices.locator('option').allTextContents()).sort(), ['Doing', 'Done'])
    answer.resolve()
    await page.getByText('Planned hours was changed.').waitFor()
    assert.equal((await workspace.get('assignment', first)).amountHours, 5)
    await choices.and(page.locator(':focus')).waitFor()
  })

  test('draws type and priority with the marks that cards have', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('Marked alike')
    const id = await make('Marked', 0, 1)
    const page = await signIn('mara@example.com', `${path}?view=list`, {
      viewport: { width: 1440, height: 800 },
    })
    await page.locator(`[data-row="${id}"] .list-priority`).click()
    await page.locator('.cell-editor').getByLabel('Priority').selectOption('Urgent')
    const cell = (column: string) => page.locator(`[data-row="${id}"] .list-${column}`)
    await cell('priority').getByText('Urgent', { exact: true }).waitFor()
    const markOf = (element: ReturnType<Page['locator']>) =>
      element.locator('svg').evaluate((svg) => [svg.getAttribute('data-color'), svg.innerHTML])
    const listed = [await markOf(cell('type')), await markOf(cell('priority'))]
    await assertAccessible(page, 'list with marks')
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    const card = page.locator('.card')
    assert.deepEqual(listed, [
      await markOf(card.locator('.type-mark')),
      await markOf(card.locator('.priority-mark')),
    ])
    assert.equal(listed[1]?.[0], 'red')
  })

  test('keeps head and group in view while a long list scrolls, and long names in one line', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('Sticky')
    const userId = workspace.jonas.id
    const name = 'A name that goes on and on because it was pasted from an e-mail, greetings included'
    for (let number = 1; number <= 30; number += 1) await make(`${name} ${number}`, 0, 1, { userId })
    const page = await signIn('mara@example.com', `${path}?view=list&group=stage`, {
      viewport: { width: 1280, height: 500 },
    })
    await page.getByRole('rowheader', { name: 'Backlog' }).waitFor()
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox()
      assert.ok(box)
      return box
    }
    const [head, group, row] = [
      await boxOf('.list-head'),
      await boxOf('.list-group'),
      await boxOf('.list-row'),
    ]
    assert.equal((await boxOf('.list-link')).height < row.height, true)
    await page.locator('.list-scroll').evaluate((scroller) => scroller.scrollTo(0, 400))
    await page.getByRole('link', { name: `${name} 30`, exact: true }).waitFor()
    assert.deepEqual([await boxOf('.list-head'), await boxOf('.list-group')], [head, group])
  })

  test('removes and restores more assignments than one request may name', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('Removed at once')
    const count = limits.ids + 1
    await Promise.all(Array.from({ length: count }, (_, index) => make(`Number ${index}`, 0, 1)))
    const page = await signIn('mara@example.com', `${path}?view=list&group=stage`)
    await page.getByLabel('Select all of Backlog').check()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(`${count} assignments were removed.`).waitFor()
    await page.getByLabel('Select all of Backlog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByLabel('Select all of Backlog').check()
    await page.getByText(`${count} selected`).waitFor()
  })

  test('gives many assignments a label, a priority and hours at once, each with one Undo, also on a phone', async () => {
    const { hosts, signIn, workspace } = stage()
    const { projectId, path, make } = await makeProject('Labelled at once')
    const ids = [await make('One', 0, 1), await make('Two', 0, 2)]
    const [first = ''] = ids
    const { id: labelId } = await workspace.make('label', { name: 'Crooked', color: 'teal', projectId })
    await workspace.make('assignmentLabel', { assignmentId: first, labelId })
    const priorityOf = async (id: string) =>
      (
        await hosts.database.query<{ priority: number | null }>(
          sql`select priority from assignments where id = ${id}`,
        )
      )[0]?.priority
    const labelled = async () =>
      (
        await hosts.database.query(
          sql`select assignment_id from assignment_labels where label_id = ${labelId} and deleted_at is null`,
        )
      ).length
    const page = await signIn('mara@example.com', `${path}?view=list`)
    const choose = async (menu: string, item: string, message: string) => {
      await page.getByRole('button', { name: `${menu} of all selected` }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
      await page.getByText(message).waitFor()
    }
    await page.getByLabel('Select One').check()
    await page.getByLabel('Select Two').check()
    await choose('Priority', 'Urgent', '2 assignments: Urgent.')
    assert.equal(await priorityOf(first), 4)
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await priorityOf(first)) === null, 'no priority')
    await choose('Planned', '16 h', '2 assignments: 16 h.')
    assert.equal((await workspace.get('assignment', first)).amountHours, 16)
    // One has it already.
    await choose('Labels', 'Add Crooked', 'Crooked was added to one assignment.')
    assert.equal(await labelled(), 2)
    await choose('Labels', 'Remove Crooked', 'Crooked was removed from 2 assignments.')
    assert.equal(await labelled(), 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    // Changes that follow each other share one message, whose Undo takes all of them back.
    await until(async () => (await labelled()) === 1, 'only the first has the label again')
    await until(
      async () => (await workspace.get('assignment', first)).amountHours === 8,
      'the hours are back',
    )
    await assertAccessible(page, 'actions on a selection')

    const phone = await signIn('mara@example.com', `${path}?view=list`, {
      viewport: { width: 390, height: 844 },
    })
    await phone.getByLabel('Select One').check()
    const bar = phone.getByRole('toolbar', { name: 'Change the selection' })
    const { height = 0 } = (await bar.boundingBox()) ?? {}
    assert.ok(height > 0 && height < 70, `the bar is ${height} high`)
    await bar.getByRole('button', { name: 'Select none' }).click()
    await bar.waitFor({ state: 'detached' })
  })
}
