import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import { addDays, daysBetween, mondayOf, today } from '../../../web/src/time/days.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

export function myWorkJourneys(setup: () => BrowserSetup): void {
  test('is the first page, with overdue, due and blocked assignments of all projects', async () => {
    const { hosts, signIn, workspace } = setup()
    const person = await workspace.join('Wanda Worker')
    const makeDue = (name: string, days: number, values = {}) =>
      workspace.assignment(name, {
        userId: person.id,
        startDate: addDays(today(), -9),
        endDate: addDays(today(), days),
        ...values,
      })
    await makeDue('Late thing', -2)
    const dueToday = await makeDue('Thing of today', 0)
    await makeDue('Done thing', -3, { workflowId: workspace.stages.Done })
    // This assignment begins on the first day after the next week.
    const farDay = addDays(mondayOf(today()), 14)
    await makeDue('Far thing', daysBetween(today(), farDay), { startDate: farDay })
    const assignmentId = await makeDue('Stuck thing', 1)
    await workspace.make('assignmentImpediment', { assignmentId, impedimentId: workspace.impedimentId })
    const page = await signIn(person.login, '/projects')
    await page.goto(`${hosts.web}/`)
    await page.waitForURL('**/my-work')
    await page.getByRole('region', { name: 'Overdue' }).getByRole('link', { name: 'Late thing' }).waitFor()
    await page.getByRole('region', { name: 'Blocked' }).getByText('Blocked since today').waitFor()
    assert.equal(await page.getByText('Done thing').count(), 0)
    await page.getByRole('region', { name: 'Ends later' }).getByRole('link', { name: 'Far thing' }).waitFor()
    await assertAccessible(page, 'my work')
    // A row is one line, and the facts of all rows have the same columns.
    const shapes = await page
      .locator('.work-row')
      .evaluateAll((rows) =>
        rows.map((each) =>
          [
            each.clientHeight < 48,
            each.querySelector('.due')?.getBoundingClientRect().right,
            each.querySelector('select')?.getBoundingClientRect().left,
            each.querySelector('.work-name > a')?.getBoundingClientRect().left,
          ].join(' '),
        ),
      )
    assert.deepEqual([shapes.length, new Set(shapes).size, shapes[0]?.startsWith('true')], [4, 1, true])
    // The stage is first. A late day has a clock, as on a card.
    const lateRow = page.locator('.work-row', { hasText: 'Late thing' })
    await lateRow.locator('.work-stage:first-child').waitFor()
    await lateRow.locator('.due[data-color=red] > .icon').waitFor()
    assert.equal(await lateRow.locator('.priority-mark').count(), 0)
    // A row has its buttons under the pointer.
    const record = lateRow.getByRole('button', { name: 'Record hours for Late thing' })
    const opacity = () => record.evaluate((button) => getComputedStyle(button).opacity)
    assert.equal(await opacity(), '0')
    await lateRow.hover()
    assert.equal(await opacity(), '1')
    // On a phone, a row has two lines, with the stage before them, and its hours.
    await page.setViewportSize({ width: 390, height: 800 })
    const late = page.getByRole('listitem').filter({ hasText: 'Late thing' })
    await late.getByText('8 h', { exact: true }).waitFor()
    await late.locator('.due > .icon').waitFor()
    const [lateBox, stageBox, link] = await Promise.all(
      [late, late.getByLabel('Stage of Late thing'), late.getByRole('link')].map((each) =>
        each.boundingBox(),
      ),
    )
    assert.ok(lateBox && stageBox && link && lateBox.height < 76, `a row is ${lateBox?.height} high`)
    assert.ok(stageBox.x + stageBox.width <= link.x)
    await page.setViewportSize({ width: 1280, height: 800 })
    const row = page.getByRole('listitem').filter({ hasText: 'Thing of today' })
    await row.getByRole('button', { name: 'Record hours for Thing of today' }).click()
    await row.getByLabel('Hours today for Thing of today').fill('1:30')
    await page.keyboard.press('Enter')
    await page.getByText('1.5 h recorded for Thing of today.').waitFor()
    await page.getByRole('link', { name: /^1\.5 (of 8 )?h today$/ }).waitFor()
    // On a phone, the names of projects need the room of the bar of these hours.
    const bar = row.locator('.work-facts .share-bar')
    await bar.waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await bar.waitFor({ state: 'hidden' })
    // The field has its own line there. More than 24 hours of a day are questioned, even if no single entry has them.
    const widthOf = async (part: Locator) => (await part.boundingBox())?.width
    const hours = row.getByLabel('Hours today for Thing of today')
    const nameWidth = await widthOf(row.getByRole('link'))
    await row.getByRole('button', { name: 'Record hours for Thing of today' }).click()
    await hours.fill('23')
    assert.equal(await widthOf(row.getByRole('link')), nameWidth)
    assert.ok(Number(await widthOf(hours)) > 280)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.keyboard.press('Enter')
    await row.getByText('24.5 h on one day? Confirm once more if that is right.').waitFor()
    await page.keyboard.press('Escape')
    await row.getByLabel('Stage of Thing of today').selectOption('Done')
    await row.waitFor({ state: 'detached' })
    assert.equal((await workspace.get('assignment', dueToday)).workflowId, workspace.stages.Done)
    await page.getByRole('button', { name: 'New assignment' }).click()
    await page.getByRole('dialog', { name: 'New assignment in…' }).waitFor()
  })

  shownAsChosen(setup)
  ofManyAssignments(setup)
}

function ofManyAssignments(setup: () => BrowserSetup): void {
  test('shows the first to end of many, all of high priority, and which counts are cut', async (context) => {
    const { hosts, signIn, workspace } = setup()
    const { id: userId, login } = await workspace.join('Maud Much')
    const id = await workspace.assignment('Number', {
      userId,
      startDate: addDays(today(), -99),
      endDate: addDays(today(), -90),
    })
    const insert = (name: string, count: number, days: number, priority: number | null) =>
      hosts.database.query(sql`
        insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id, priority)
        select gen_random_uuid(), ${name}::text || n, start_date, end_date + ${days}::integer * interval '1 day', 1, project_id,
          workflow_id, user_id, assignment_type_id, ${priority}::integer
        from assignments, generate_series(1, ${count}::integer) as n where assignments.id = ${id}`)
    await insert('Old ', 149, 0, null)
    await insert('Recent ', 1, 80, null)
    // A board with them would not draw the cards of the next tests.
    context.after(() => hosts.database.query(sql`delete from assignments where user_id = ${userId}`))
    const page = await signIn(login, '/my-work')
    const overdue = page.getByRole('region', { name: 'Overdue' })
    const count = overdue.locator('header .quiet-text')
    const rows = overdue.locator('.work-row')
    const more = overdue.getByRole('button', { name: /^Show \d+ more$/ })
    // A group draws 50 rows at first. The focus follows to those that are shown on request.
    await more.waitFor()
    assert.deepEqual([await count.textContent(), await rows.count()], ['151', 50])
    await more.click()
    await rows.nth(50).locator('a:focus').waitFor()
    assert.equal(await rows.count(), 100)
    await more.click()
    await overdue.getByRole('button', { name: 'Show 1 more' }).click()
    await overdue.getByRole('link', { name: 'Recent 1' }).waitFor()
    assert.deepEqual([await rows.count(), await more.count()], [151, 0])
    await insert('Old ', 400, 1, null)
    await insert('Urgent ', 1, 85, 4)
    await insert('Coming ', 1, 90, 4)
    await page.reload()
    await more.waitFor()
    assert.deepEqual([await count.textContent(), await rows.count()], ['501+', 50])
    while ((await more.count()) > 0) await more.click()
    await overdue.getByRole('link', { name: 'Urgent 1' }).waitFor()
    assert.equal(await rows.count(), 501)
    await page.getByRole('region', { name: 'Ends today' }).getByText('1+', { exact: true }).waitFor()
    const hint = await page.getByText('Only the first 500 of each stage to end are shown.').boundingBox()
    const heading = await overdue.getByRole('heading').boundingBox()
    assert.ok(hint && heading && hint.y < heading.y)
  })
}

function shownAsChosen(setup: () => BrowserSetup): void {
  test('shows hours, warnings and labels as a card does, by role and in chosen groups', async () => {
    const { signIn, workspace } = setup()
    const { make, projectId } = workspace
    const { id: userId, login } = await workspace.join('Wim Worker')
    const harbour = await make('project', { name: 'Harbour walk', organizationId: workspace.organizationId })
    await make('userProject', { projectId: harbour.id, userId })
    const assignmentId = await workspace.assignment('Marked thing', { userId, amountHours: 6 })
    const blockedById = await workspace.assignment('Thing before it', { userId: workspace.jonas.id })
    await make('assignmentDependency', { assignmentId, blockedById })
    const { id: labelId } = await make('label', { projectId, name: 'Needs a sketch', color: 'teal' })
    await make('assignmentLabel', { assignmentId, labelId })
    await make('appointment', { assignmentId, userId, keepDate: today(), amountHours: 1.5 })
    const shared = await workspace.assignment('Shared thing', {
      userId: workspace.mara.id,
      projectId: harbour.id,
    })
    await make('userAssignment', { assignmentId: shared, userId })
    const page = await signIn(login, '/my-work')
    const row = page.locator('.work-row', { hasText: 'Marked thing' })
    const other = page.locator('.work-row', { hasText: 'Shared thing' })
    for (const text of ['1.5/6 h', 'Waits for Thing before it', 'Needs a sketch'])
      await row.getByText(text, { exact: true }).waitFor()
    await page.getByRole('link', { name: /^1\.5 (of 8 )?h today$/ }).waitFor()
    await page.getByRole('button', { name: 'Participant' }).click()
    await row.waitFor({ state: 'detached' })
    await other.waitFor()
    await page.getByRole('button', { name: 'Group by: End' }).click()
    await page.getByRole('menuitem', { name: 'Project' }).click()
    await page.getByRole('region', { name: 'Harbour walk' }).getByText('Shared thing').waitFor()
    // The browser remembers both choices.
    await page.reload()
    await page.getByRole('region', { name: 'Harbour walk' }).getByText('Shared thing').waitFor()
    assert.equal(await row.count(), 0)
    await page.getByRole('button', { name: 'Everything' }).click()
    await page.getByRole('region', { name: 'Website relaunch' }).getByText('Marked thing').waitFor()
    await assertAccessible(page, 'my work by project')
  })
}

export function impedimentJourneys(setup: () => BrowserSetup): void {
  test('are added, described and resolved for any assignment of the user', async () => {
    const { signIn, workspace } = setup()
    await workspace.assignment('Blocked work')
    const page = await signIn('mara@example.com', '/impediments')
    await page.getByRole('button', { name: 'New impediment' }).click()
    const dialog = page.getByRole('dialog', { name: 'New impediment' })
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('Assignment is required.').waitFor()
    await dialog.getByRole('combobox', { name: 'Assignment' }).fill('blocked')
    await dialog.getByRole('option', { name: 'Blocked work' }).click()
    await dialog.getByLabel('Impediment', { exact: true }).selectOption('Waiting for the customer')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const line = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Blocked work' })
    await line.getByText('Website relaunch', { exact: true }).waitFor()
    await line.getByRole('img', { name: 'Mara Lindqvist' }).waitFor()
    await line.getByText('Today', { exact: true }).waitFor()
    await line.getByRole('button', { name: /^Edit/ }).click()
    await page.getByLabel('Note').fill('They answer on Monday')
    await page.getByRole('button', { name: 'Save' }).click()
    await line.getByText('They answer on Monday').waitFor()
    await line.getByRole('button', { name: /^Resolve/ }).click()
    await line.waitFor({ state: 'detached' })
    await page.getByText('Waiting for the customer is resolved.').waitFor()
    // Undo restores the note, too.
    await page.keyboard.press('Control+z')
    await line.getByText('They answer on Monday').waitFor()
    // Resolved impediments have a tab, in which they can be reopened.
    await line.getByRole('button', { name: /^Resolve/ }).click()
    await line.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resolved', exact: true }).click()
    await line.getByText('They answer on Monday').waitFor()
    await line.getByRole('button', { name: /^Reopen/ }).click()
    await line.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Unresolved' }).click()
    // The age of an impediment stands out more, the older it is.
    await page.route(/\/assignmentImpediments?\?/i, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replaceAll(
        /"createdAt":"[^"]+"/g,
        `"createdAt":"${new Date(Date.now() - 6 * 86_400_000).toISOString()}"`,
      )
      await route.fulfill({ response, body })
    })
    await page.reload()
    await line.getByText('6 days ago').and(page.locator('[data-color=red]')).waitFor()
    // A phone has no heading above it.
    await page.setViewportSize({ width: 390, height: 844 })
    await line.getByText('Blocked for 6 days').waitFor()
  })

  test('have any of more than a hundred types, also in the panel', async () => {
    const { hosts, signIn, workspace } = setup()
    const assignmentId = await workspace.assignment('Blocked by the last type')
    await hosts.database.query(sql`
      insert into impediments (id, name)
      select gen_random_uuid(), 'Z type ' || lpad(number::text, 3, '0') from generate_series(1, 101) as number`)
    const page = await signIn('mara@example.com', '/impediments')
    await page.getByRole('button', { name: 'New impediment' }).click()
    const lastType = page
      .getByLabel('Impediment', { exact: true })
      .getByRole('option', { name: 'Z type 101' })
    await lastType.waitFor({ state: 'attached' })
    await page.goto(`${hosts.web}/projects/${workspace.projectId}/assignments/${assignmentId}`)
    await page.getByRole('complementary').getByRole('button', { name: 'Impediment', exact: true }).click()
    await lastType.waitFor({ state: 'attached' })
    await hosts.database.query(sql`delete from impediments where name like 'Z type %'`)
  })

  test('are found by text, by project, and among the impediments of all users', async () => {
    const { signIn, workspace } = setup()
    const { impedimentId, jonas, mara } = workspace
    const project = await workspace.make('project', {
      name: 'Harbour',
      organizationId: workspace.organizationId,
    })
    await workspace.make('userProject', { projectId: project.id, userId: mara.id })
    const mine = await workspace.assignment('Pier plan', { projectId: project.id })
    const other = await workspace.assignment('Crane plan', { projectId: project.id, userId: jonas.id })
    const block = (assignmentId: string, description: string) =>
      workspace.make('assignmentImpediment', { assignmentId, impedimentId, description })
    await block(mine, 'No map')
    await block(other, 'No crane')
    const page = await signIn('mara@example.com', '/impediments')
    await page.getByText('No map').waitFor()
    assert.equal(await page.getByText('No crane').count(), 0)
    await page.getByRole('button', { name: 'Everyone’s', pressed: false }).click()
    await page.getByText('No crane').waitFor()
    // One list has the impediments of all projects, the oldest first until the order is reversed.
    const areInOrder = (notes: readonly string[]) =>
      page
        .getByRole('main')
        .getByRole('list')
        .filter({ hasText: new RegExp(notes.join('.*'), 's') })
        .waitFor()
    await areInOrder(['No map', 'No crane'])
    const sort = page.getByRole('button', { name: 'Blocked since' })
    await sort.and(page.getByTitle('Oldest first')).click()
    await areInOrder(['No crane', 'No map'])
    await sort.and(page.getByTitle('Newest first')).click()
    await areInOrder(['No map', 'No crane'])
    // All filters and the number of rows are in one line, with the edges of the buttons.
    const edgeOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((found) => getComputedStyle(found).borderColor)
    for (const selector of ['.filters > select', '.search > .input'])
      assert.equal(await edgeOf(selector), await edgeOf('.row-buttons > .button:not(.quiet)'), selector)
    const middleOf = async (name: string) => {
      const box = await page.locator(`.filters > ${name}`).first().boundingBox()
      return box && box.y + box.height / 2
    }
    for (const name of ['.search', 'select', '.filter-end'])
      assert.ok(Math.abs(Number(await middleOf(name)) - Number(await middleOf('.choice-buttons'))) < 2, name)
    await page.getByLabel('Project', { exact: true }).selectOption('Harbour')
    await page.getByRole('searchbox').fill('crane')
    await page.getByText('No map').waitFor({ state: 'detached' })
    await page.waitForURL(/search=crane/)
    await page.reload()
    await page.getByText('No crane').waitFor()
    assert.equal(await page.getByRole('main').getByRole('listitem').count(), 1)
  })
}
