import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { limits } from '#tracker-client'
import { sql } from '../../../src/db/sql.ts'
import { addDays, dateFormat, dateOf } from '../../../web/src/time/days.ts'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function listCellJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('are edited in place by click and keys, with Undo', async () => {
    const { signIn, workspace } = setup()
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
    const picker = page.getByRole('dialog')
    await cell(id, 'stage').click()
    const backlog = picker.getByRole('option', { name: 'Backlog' })
    await backlog.and(page.locator('[aria-selected=true]')).locator('svg').first().waitFor()
    await assertAccessible(page, 'a picker at a cell')
    await picker.getByRole('option', { name: 'Doing' }).click()
    await page.getByText('Edited is now in Doing.').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
    await page.locator('.list-row [data-column=stage]:focus').waitFor()
    await cell(id, 'stage').getByText('Doing').waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await cell(id, 'stage').getByText('Backlog').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Backlog)
    // F2 edits the name in its cell. Escape keeps the old name, Enter saves the new one.
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const nameField = cell(id, 'name').getByLabel('Name')
    for (const { typed, key, name } of [
      { typed: 'Dropped', key: 'Escape', name: 'Edited' },
      { typed: 'Renamed', key: 'Enter', name: 'Renamed' },
      { typed: 'Edited', key: 'Enter', name: 'Edited' },
    ]) {
      await page.locator(`#card-${id}`).press('F2')
      await nameField.and(page.locator(':focus')).waitFor()
      await page.keyboard.type(typed)
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press(key)
      await link(name).waitFor()
      await page.locator(`#card-${id}:focus`).waitFor()
      assert.equal((await workspace.get('assignment', id)).name, name)
      if (key === 'Enter') await page.getByText(`Name of ${name} was changed.`).waitFor({ state: 'attached' })
    }
    // Arrow keys move from the name to the hours. Escape keeps the old hours, Enter saves the new ones.
    await page.getByRole('link', { name: 'Edited', exact: true }).focus()
    for (const column of ['blocked', 'stage', 'priority', 'person', 'labels', 'type', 'end', 'hours']) {
      await page.keyboard.press('ArrowRight')
      await page.locator(`.list-row [data-column=${column}]:focus`).waitFor()
    }
    await page.keyboard.press('Enter')
    await picker.getByRole('option', { name: '40 h' }).waitFor()
    await page.keyboard.type('99')
    await page.keyboard.press('Escape')
    await picker.waitFor({ state: 'detached' })
    await page.locator('.list-row [data-column=hours]:focus').waitFor()
    assert.equal((await workspace.get('assignment', id)).amountHours, 8)
    await page.keyboard.press('Enter')
    await picker.getByRole('option', { name: '40 h' }).waitFor()
    await page.keyboard.type('1h30')
    await picker.getByRole('option', { name: '1.5 h' }).waitFor()
    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', id)),
      amountHours: 3,
    })
    await page.keyboard.press('Enter')
    await page.getByText('It was changed or removed in the meantime.').waitFor()
    assert.equal((await workspace.get('assignment', id)).amountHours, 3)
    await page.keyboard.press('Enter')
    await picker.getByRole('option', { name: '3 h' }).and(page.locator('[aria-selected=true]')).waitFor()
    await page.keyboard.type('1h30')
    await page.keyboard.press('Enter')
    await cell(id, 'hours').getByText('1.5 h').waitFor()
    assert.equal((await workspace.get('assignment', id)).amountHours, 1.5)
  })

  test('open pickers for stages, labels and days', async () => {
    const { signIn, workspace } = setup()
    const { path, make, projectId } = await makeProject('Chosen from lists')
    for (const name of ['Doing', 'Done'])
      await workspace.make('projectStage', { projectId, workflowId: workspace.stages[name], order: 0 })
    await workspace.make('label', { name: 'Sails', color: 'teal', projectId })
    const id = await make('Chosen', 0, 1, { workflowId: workspace.stages.Doing })
    const page = await signIn('mara@example.com', `${path}?view=list`, {
      viewport: { width: 1440, height: 900 },
    })
    const cell = (column: string) => page.locator(`[data-row="${id}"] .list-${column}`)
    const picker = page.getByRole('dialog')
    await page.getByRole('link', { name: 'Chosen', exact: true }).focus()
    await page.keyboard.press('s')
    await picker.getByRole('option', { name: 'Done' }).waitFor()
    assert.deepEqual((await picker.getByRole('option').allTextContents()).sort(), ['Doing', 'Done'])
    const { x: pickerLeft } = (await picker.boundingBox()) ?? {}
    const { x: cellLeft } = (await cell('stage').boundingBox()) ?? {}
    assert.equal(pickerLeft, cellLeft)
    await page.keyboard.press('Escape')
    await cell('labels').click()
    await picker.getByRole('option', { name: 'Sails' }).click()
    await cell('labels').getByText('Sails').waitFor()
    await cell('type').click()
    await picker.getByRole('option').first().waitFor()
    await page.keyboard.press('Escape')
    await cell('end').click()
    const month = picker.getByRole('table')
    await month.locator('.chosen').waitFor()
    await assertAccessible(page, 'a picker with a month')
    const [days, header] = await Promise.all([
      month.boundingBox(),
      picker.locator('.month-header').boundingBox(),
    ])
    assert.deepEqual([days?.x, days?.width], [header?.x, header?.width])
    const { endDate } = await workspace.get('assignment', id)
    const next = addDays(String(endDate).slice(0, 10), 1)
    await month.getByRole('button', { name: dateFormat('whole').format(dateOf(next)) }).click()
    await until(
      async () => String((await workspace.get('assignment', id)).endDate).startsWith(next),
      'the new end date',
    )
    // The page offers to undo the change only once it has the response.
    await page.locator('.toast', { hasText: 'Chosen · ' }).waitFor()
    await page.keyboard.press('Control+z')
    await until(
      async () => (await workspace.get('assignment', id)).endDate === endDate,
      'the end date before the change',
    )
  })

  test('show type and priority with the same marks as cards', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Marked alike')
    const id = await make('Marked', 0, 1)
    const page = await signIn('mara@example.com', `${path}?view=list`, {
      viewport: { width: 1440, height: 800 },
    })
    await page.locator(`[data-row="${id}"] .list-priority`).click()
    await page.getByRole('option', { name: 'Urgent' }).click()
    const cell = (column: string) => page.locator(`[data-row="${id}"] .list-${column}`)
    await cell('priority').getByText('Urgent', { exact: true }).waitFor()
    const markOf = (element: Locator) =>
      element
        .locator('svg')
        .evaluate((svg) => ({ color: svg.getAttribute('data-color'), shape: svg.innerHTML }))
    const typeInList = await markOf(cell('type'))
    const priorityInList = await markOf(cell('priority'))
    await assertAccessible(page, 'list with marks')
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    const card = page.locator('.card')
    assert.deepEqual(await markOf(card.locator('.type-mark')), typeInList)
    assert.deepEqual(await markOf(card.locator('.priority-mark')), priorityInList)
    assert.equal(priorityInList.color, 'red')
  })

  test('keep long names on one line, below headings that stay in view', async () => {
    const { signIn, workspace } = setup()
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
    const head = await boxOf('.list-head')
    const group = await boxOf('.list-group')
    assert.ok((await boxOf('.list-link')).height < (await boxOf('.list-row')).height)
    await page.locator('.list-scroll').evaluate((scroller) => scroller.scrollTo(0, 400))
    await page.getByRole('link', { name: `${name} 30`, exact: true }).waitFor()
    assert.deepEqual(await boxOf('.list-head'), head)
    assert.deepEqual(await boxOf('.list-group'), group)
  })

  test('are hidden in a folded group, even after a reload', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Folded')
    await make('In the backlog', 0, 1)
    await make('Being done', 0, 1, { workflowId: workspace.stages.Doing })
    const page = await signIn('mara@example.com', `${path}?view=list&group=stage`)
    const heading = (name: string) => page.locator('.group-fold').filter({ hasText: name })
    await page.getByRole('link', { name: 'In the backlog' }).waitFor()
    await heading('Backlog').click()
    await page.getByRole('link', { name: 'In the backlog' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Being done' }).waitFor()
    await assertAccessible(page, 'a list with a folded group')
    await page.reload()
    await page.getByRole('link', { name: 'Being done' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'In the backlog' }).count(), 0)
    assert.equal(await heading('Backlog').getAttribute('aria-expanded'), 'false')
    await heading('Backlog').press('Enter')
    await page.getByRole('link', { name: 'In the backlog' }).waitFor()
    await page.getByRole('button', { name: 'New assignment in Doing' }).click()
    await page
      .getByRole('dialog', { name: 'New assignment' })
      .getByLabel('Name', { exact: true })
      .fill('Next')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Next' }).waitFor()
    const lines = await page.locator('.group-fold, .list-link').allTextContents()
    assert.deepEqual(
      lines.map((line) => /In the backlog|Backlog|Doing|Next|Being done/.exec(line)?.[0]),
      ['Backlog', 'In the backlog', 'Doing', 'Being done', 'Next'],
    )
    // The headings of the groups show the stages, so no column repeats them.
    assert.equal(await page.getByRole('columnheader', { name: 'Stage' }).count(), 0)
  })

  test('are removed and restored with the selected rows', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Removed at once')
    // One request can remove one row less.
    const count = limits.ids + 1
    await Promise.all(Array.from({ length: count }, (_, index) => make(`Number ${index}`, 0, 1)))
    const page = await signIn('mara@example.com', `${path}?view=list&group=stage`)
    const group = page.locator('.list-group')
    const box = group.getByLabel('Select all of Backlog')
    // The last row arrives with a second page.
    const loaded = group.getByText(`${count} assignments`)
    await loaded.waitFor()
    await page.getByLabel('Select Number', { exact: false }).first().check()
    assert.ok(await box.evaluate((input: HTMLInputElement) => input.indeterminate))
    await box.check()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(`${count} assignments were removed.`).waitFor()
    await box.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await loaded.waitFor()
    await box.check()
    await page.getByText(`${count} selected`).waitFor()
  })

  test('are changed in all selected rows at once, with Undo, by a bar that fits a phone', async () => {
    const { hosts, signIn, workspace } = setup()
    const { projectId, path, make } = await makeProject('Labelled at once')
    const first = await make('One', 0, 1)
    await make('Two', 0, 2)
    const { id: labelId } = await workspace.make('label', { name: 'Crooked', color: 'teal', projectId })
    await workspace.make('assignmentLabel', { assignmentId: first, labelId })
    const priorityOf = async (id: string) => {
      const [row] = await hosts.database.query<{ priority: number | null }>(
        sql`select priority from assignments where id = ${id}`,
      )
      return row?.priority
    }
    const countLabelled = async () => {
      const rows = await hosts.database.query(
        sql`select assignment_id from assignment_labels where label_id = ${labelId} and deleted_at is null`,
      )
      return rows.length
    }
    const page = await signIn('mara@example.com', `${path}?view=list`)
    const choose = async (menu: string, item: string, message: string) => {
      await page.getByRole('button', { name: `${menu} of all selected` }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
      await page.getByText(message).waitFor()
    }
    await page.getByLabel('Select One').check()
    await page.getByLabel('Select Two').check()
    // Those of stages and labels appear with their lists.
    const menus = ['Stage', 'Priority', 'Responsible', 'Labels', 'Type', 'Dates', 'Planned']
    const namesOfMenus = () => page.getByRole('button', { name: 'of all selected' }).allTextContents()
    await until(async () => (await namesOfMenus()).join() === menus.join(), menus.join())
    await choose('Priority', 'Urgent', '2 assignments: Urgent.')
    assert.equal(await priorityOf(first), 4)
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await priorityOf(first)) === null, 'the priority to be cleared')
    await choose('Planned', '16 h', '2 assignments: 16 h.')
    assert.equal((await workspace.get('assignment', first)).amountHours, 16)
    // One assignment already has the label.
    await choose('Labels', 'Add Crooked', 'Crooked was added to one assignment.')
    assert.equal(await countLabelled(), 2)
    await choose('Labels', 'Remove Crooked', 'Crooked was removed from 2 assignments.')
    assert.equal(await countLabelled(), 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    // Consecutive changes share one message, whose Undo reverts all of them.
    await until(async () => (await countLabelled()) === 1, 'the label to be on only the first assignment')
    await until(
      async () => (await workspace.get('assignment', first)).amountHours === 8,
      'the hours to be restored',
    )
    await assertAccessible(page, 'actions on a selection')

    const viewport = { width: 390, height: 844 }
    const phone = await signIn('mara@example.com', `${path}?view=list`, { viewport, hasTouch: true })
    const row = phone.locator('[data-row]').first()
    await row.waitFor()
    const rowBefore = await row.boundingBox()
    // Until the user begins to select, the facts of a row take the place of its checkbox.
    assert.equal(await phone.getByRole('checkbox').count(), 0)
    await phone.getByRole('button', { name: 'Select', exact: true }).tap()
    await phone.getByLabel('Select One').check()
    const bar = phone.getByRole('toolbar', { name: 'Change the selection' })
    await bar.waitFor()
    assert.deepEqual(await row.boundingBox(), rowBefore, 'the bar moves no row')
    const cutOff = await bar
      .getByRole('button')
      .evaluateAll((buttons) =>
        buttons
          .filter((button) => button.scrollWidth > button.clientWidth + 1 || !button.checkVisibility())
          .map(({ textContent }) => textContent),
      )
    assert.deepEqual(cutOff, [])
    const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {}
    // The bar is within reach of the thumb.
    assert.ok(y > viewport.height / 2 && y + height < viewport.height, `the bar is ${height} high, at ${y}`)
    const remove = await bar.getByRole('button', { name: 'Remove' }).boundingBox()
    assert.ok(remove && remove.x + remove.width <= viewport.width, 'the last button is inside the screen')
    await bar.getByRole('button', { name: 'Select none' }).click()
    await bar.waitFor({ state: 'detached' })
  })

  test('are left out of a narrow list, labels and types first', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Narrow columns')
    await make('Ends soon', 0, 1)
    const page = await signIn('mara@example.com', `${path}?view=list`)
    const head = (name: string) => page.getByRole('columnheader', { name })
    for (const { width, shown } of [
      { width: 1440, shown: ['Stage', 'Priority', 'Responsible', 'Labels', 'Type', 'End', 'Hours'] },
      { width: 1024, shown: ['Stage', 'Priority', 'Responsible', 'End', 'Hours'] },
      { width: 768, shown: ['Stage', 'Responsible', 'End'] },
    ]) {
      await resize(page, width, 800)
      const heads = await page
        .getByRole('columnheader')
        .evaluateAll((all) =>
          all.flatMap((column) => (column.checkVisibility() ? column.textContent?.trim() : [])),
        )
      assert.deepEqual(heads.slice(heads.indexOf('Stage')), shown)
      const end = await head('End').boundingBox()
      assert.ok(end && end.x + end.width <= width, JSON.stringify({ end, width }))
    }
    // Arrows skip columns that are left out.
    await page.getByRole('link', { name: 'Ends soon' }).focus()
    for (const column of ['blocked', 'stage', 'person']) {
      await page.keyboard.press('ArrowRight')
      await page.locator(`[data-column="${column}"]:focus`).waitFor()
    }
    // The menu shows as chosen what the list draws, and draws the others on request.
    await page.getByRole('button', { name: 'Display' }).click()
    const labels = page.getByRole('dialog', { name: 'Display' }).getByRole('button', { name: 'Labels' })
    await labels.and(page.locator('[aria-pressed=false]')).click()
    await labels.and(page.locator('[aria-pressed=true]')).waitFor()
    await page.keyboard.press('Escape')
    await head('Labels').waitFor()
    await page.goto(`${new URL(page.url()).origin}${path}?view=list&columns=key,type,labels,end`)
    await head('Labels').waitFor()
  })
}
