import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { send } from '../support/rest-host.ts'
import { until } from '../support/until.ts'
import { importJourneys } from './journeys/importing.ts'
import { memberJourneys } from './journeys/members.ts'
import { organizationJourneys } from './journeys/organizations.ts'
import { progressJourneys } from './journeys/project-progress.ts'
import { projectSettingsJourneys } from './journeys/project-settings.ts'
import { projectStageJourneys } from './journeys/project-stages.ts'
import { userJourneys } from './journeys/users.ts'
import { weekJourneys } from './journeys/week.ts'
import { type BrowserSetup, fillSignIn } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

function projectJourneys(setup: () => BrowserSetup): void {
  test('are listed under their organizations', async () => {
    const { signIn, workspace } = setup()
    const { id: organizationId } = await workspace.make('organization', { name: 'Harbour' })
    await workspace.make('project', { name: 'Crane', organizationId })
    const page = await signIn('root@example.com', '/projects')
    const harbour = page.getByRole('region', { name: 'Harbour' })
    await harbour.getByRole('link', { name: 'Crane' }).waitFor()
    await page.getByLabel('Search projects').fill('CRA')
    await page.getByText('Website relaunch').waitFor({ state: 'detached' })
    assert.match(page.url(), /search=CRA/)
    await page.getByLabel('Search projects').fill('no such thing')
    await page.getByText('No project is called “no such thing”').waitFor()
    await page.reload()
    await page.getByText('No project is called “no such thing”').waitFor()
  })

  test('are created, with every mistake shown next to its field', async () => {
    const page = await setup().signIn('mara@example.com', '/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText('Name is required.').waitFor()
    // Screen readers read the message together with the field.
    assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
    const noteId = await page.getByLabel('Name', { exact: true }).getAttribute('aria-describedby')
    assert.equal(await page.locator(`[id="${noteId}"]`).textContent(), 'Name is required.')
    await page.locator('[name=name]:focus').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Garden')
    // The key is suggested while the name is typed, and the organization is that of the newest project.
    assert.equal(await page.getByLabel('Key').getAttribute('placeholder'), 'GAR')
    const organization = page.getByRole('combobox', { name: 'Organization' })
    assert.equal(await organization.inputValue(), 'Lighthouse Studio')
    await page.getByLabel('Key').fill('grd')
    await page.getByRole('combobox', { name: 'Color' }).click()
    await page.getByRole('option', { name: 'Teal' }).click()
    await page.getByRole('combobox', { name: 'Members' }).click()
    await page.getByRole('option', { name: 'Jonas Weber' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Garden' }).waitFor()
    await page.locator('.project-mark[data-color=teal]').first().waitFor()
    await page.getByRole('button', { name: 'Filter by Jonas Weber' }).waitFor({ state: 'attached' })
  })

  test('are kept if a member cannot be added, as a message says', async () => {
    const page = await setup().signIn('mara@example.com', '/projects')
    await page.route('**/api/userProject', (route) => route.abort())
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Greenhouse')
    await page.getByRole('combobox', { name: 'Members' }).click()
    await page.getByRole('option', { name: 'Jonas Weber' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText('Jonas Weber was not added').waitFor()
    await page.getByRole('heading', { name: 'Greenhouse' }).waitFor()
  })

  test('keep the typed text when their dialog is closed by mistake', async () => {
    const page = await setup().signIn('mara@example.com', '/projects')
    const open = page.getByRole('button', { name: 'New project' })
    await open.click()
    await page.getByLabel('Name', { exact: true }).fill('Half a')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.button.primary:focus', { hasText: 'New project' }).waitFor()
    await open.click()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half a')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await open.click()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), '')
  })

  test('are restored by Undo after a removal', async () => {
    const { signIn, workspace } = setup()
    await workspace.make('project', { name: 'Thrown away', organizationId: workspace.organizationId })
    const page = await signIn('root@example.com', '/projects')
    const link = page.getByRole('link', { name: 'Thrown away' })
    await page.getByRole('button', { name: 'Actions for Thrown away' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByText('Thrown away was removed.').waitFor()
    await link.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await link.waitFor()
  })

  test('cannot be removed while they have assignments, as a message says', async () => {
    const { signIn, workspace } = setup()
    await workspace.assignment('In the way of removal')
    const page = await signIn('root@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Website relaunch' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByText('Website relaunch: It still has assignments. Remove them first.').waitFor()
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
  })
}

/** Chooses from the menu of a row. */
async function choose(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

function administrationJourneys(setup: () => BrowserSetup): void {
  const open = (path: string) => setup().signIn('root@example.com', path)

  test('creates a user who can sign in', async () => {
    const page = await open('/administration')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog', { name: 'New user' })
    await dialog.getByLabel('Name', { exact: true }).fill('Xenia New')
    await dialog.getByLabel('Login').fill('jonas@example.com')
    await dialog.getByRole('textbox', { name: 'Password' }).fill('short1')
    for (const rule of [
      'a lower-case letter, met',
      'a digit, met',
      'an upper-case letter, missing',
      '8 to 128 characters, missing',
    ])
      await dialog.getByRole('listitem').filter({ hasText: rule }).waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Password must be at least 8 characters.').waitFor()
    assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Xenia New')
    await dialog.getByRole('textbox', { name: 'Password' }).fill('Correct-Horse-2')
    assert.equal(await dialog.getByRole('listitem').filter({ hasText: ', missing' }).count(), 0)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog
      .getByText(/login/i)
      .filter({ hasText: /taken|already|used/ })
      .waitFor()
    await dialog.getByLabel('Login').fill('xenia@example.com')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Xenia New was created.').waitFor()
    const visitor = await setup().visit('/projects')
    await fillSignIn(visitor, 'xenia@example.com', 'Correct-Horse-2')
    await visitor.getByText('No projects yet').waitFor()
  })

  test('ends the session of a user after a change of their login', async () => {
    await setup().workspace.join('Ylva Old')
    const other = await setup().signIn('ylva@example.com', '/projects')
    const page = await open('/administration/users?search=ylva')
    const change = async (label: string, text: string) => {
      await page.getByRole('button', { name: /^Actions for Ylva/ }).click()
      await page.getByRole('menuitem', { name: 'Name and login…' }).click()
      await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(text)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await change('Name', 'Ylva Olsen')
    await page.getByText('Ylva Olsen was saved.').waitFor()
    await other.reload()
    await other.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await change('Login', 'ylva.olsen@example.com')
    // The page notices the end by itself. After a reload, it might sign in again instead.
    await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  })

  test('removes records with Undo', async () => {
    const { workspace } = setup()
    await workspace.make('assignmentType', { name: 'Spike' })
    const page = await open('/administration/types')
    await choose(page, 'Spike', 'Remove')
    await page.getByText('Spike was removed.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Spike' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await choose(page, 'Spike', 'Edit…')
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Spiky')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Actions for Spiky' }).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByRole('button', { name: 'Actions for Spike' }).waitFor()
    await page.getByRole('link', { name: 'Organizations' }).click()
    // An organization with projects is not removed, and users cannot be removed at all.
    await choose(page, 'Lighthouse Studio', 'Remove')
    await page
      .getByRole('status')
      .filter({ hasText: /project/i })
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('button', { name: 'Actions for Rosa Root' }).click()
    await page.getByRole('menuitem', { name: 'Name and login…' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Remove' }).count(), 0)
  })

  test('orders the stages of every board', async () => {
    const { workspace } = setup()
    const review = await workspace.make('workflow', { name: 'Review', order: 2 })
    const page = await open('/administration/workflows')
    await page.getByText('Review').waitFor()
    await page.getByRole('button', { name: 'Move Review up' }).click()
    const rows = page.locator('.row')
    const isAt = (place: number, name: string) => rows.nth(place).filter({ hasText: name }).waitFor()
    /** Every change of the order is several requests, and is reported after the last one. */
    const untilReported = async (text: string) => {
      const message = page.locator('.toast', { hasText: text })
      await message.getByRole('button', { name: 'Dismiss' }).click()
      await message.waitFor({ state: 'detached' })
    }
    await isAt(2, 'Review')
    await untilReported('The stages were saved.')
    const names = (await page.locator('.row-text').allTextContents()).map((text) => text.trim())
    assert.deepEqual(names.slice(0, 3), ['Backlog', 'Doing', 'Review'])
    // The pointer drags a row by its handle, to above the first and below the last one.
    const handle = rows.filter({ hasText: 'Review' }).locator('.row-handle')
    await handle.dragTo(rows.first(), { targetPosition: { x: 40, y: 4 } })
    await isAt(0, 'Review')
    await untilReported('The stages were saved.')
    await page.reload()
    await isAt(0, 'Review')
    await handle.dragTo(rows.last(), { targetPosition: { x: 40, y: 30 } })
    await isAt((await rows.count()) - 1, 'Review')
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilReported('Undone')
    await isAt(0, 'Review')
    await handle.dragTo(rows.nth(2), { targetPosition: { x: 40, y: 30 } })
    await isAt(2, 'Review')
    await untilReported('The stages were saved.')
    for (const count of [1, 0]) {
      await choose(page, 'Review', 'This stage means done')
      const chips = rows.filter({ hasText: 'Review' }).getByText('Means done')
      await until(async () => (await chips.count()) === count, `${count} chips`)
    }
    // A search hides other stages, but changes neither the looks of stages nor where a new one is added.
    await page.getByLabel('Search stages').fill('Doing')
    await page.getByText('Review').waitFor({ state: 'detached' })
    assert.equal(await page.getByText('Means done').count(), 0)
    await page.getByRole('button', { name: 'New stage' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Last of all')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Last of all was created.').waitFor()
    await page.getByLabel('Search stages').fill('')
    await page.getByText('Means done').waitFor()
    const last = page.locator('.row').last()
    await last.filter({ hasText: 'Last of all' }).waitFor()
    await choose(page, 'Last of all', 'Remove')
    await page.locator('.row').filter({ hasText: 'Last of all' }).waitFor({ state: 'detached' })
    await workspace.change('DELETE', 'workflow', { ids: [review.id] })
  })

  test('is shown only to administrators', async () => {
    const page = await setup().signIn('mara@example.com', '/administration')
    await page.getByText('Administrators only').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Admin', exact: true }).count(), 0)
  })

  test('lists removed records by type, and restores them', async () => {
    const { workspace } = setup()
    const organization = await workspace.make('organization', { name: 'Gone House' })
    const project = await workspace.make('project', { name: 'Gone project', organizationId: organization.id })
    await workspace.change('DELETE', 'project', { ids: [project.id] })
    await workspace.change('DELETE', 'organization', { ids: [organization.id] })
    const page = await open('/removed')
    await page.getByRole('searchbox').fill('gone')
    await page.waitForURL(/search=gone/)
    await page.getByRole('button', { name: 'Restore Gone project' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /organization/i })
      .waitFor()
    await page
      .getByText(/Removed by /)
      .first()
      .waitFor()
    await page.getByLabel('Type of item').selectOption('Organizations')
    await page.getByRole('button', { name: 'Restore Gone House' }).click()
    await page.getByText('Gone House was restored.').waitFor()
    await page.getByLabel('Type of item').selectOption('Everything')
    await page.getByRole('button', { name: 'Restore Gone project' }).click()
    await page.getByText('Gone project was restored.').waitFor()
    assert.equal((await workspace.get('project', project.id)).active, true)
    await workspace.change('DELETE', 'project', { ids: [project.id] })
  })

  test('shows who removed a record last', async () => {
    const { hosts, workspace } = setup()
    const removedTwice = await workspace.assignment('Removed twice')
    const removedOnce = await workspace.assignment('Let go')
    await workspace.change('DELETE', 'assignment', { ids: [removedTwice, removedOnce] })
    const page = await setup().signIn('mara@example.com', '/removed/assignments')
    const row = page.getByRole('region', { name: 'Today' }).getByRole('listitem')
    const twice = row.filter({ hasText: /\w-\d+ Removed twice/ })
    await twice.getByText(/Website relaunch · Removed by Rosa Root, \d\d:\d\d$/).waitFor()
    const token = await page.evaluate<string>(`JSON.parse(localStorage['tracker.session']).accessToken`)
    const request = { token, body: { ids: [removedTwice] } }
    assert.equal((await send(hosts.api, 'POST', '/api/assignment/restore', request)).status, 200)
    assert.equal((await send(hosts.api, 'DELETE', '/api/assignment', request)).status, 200)
    await page.getByRole('button', { name: 'Restore Let go' }).click()
    await twice.getByText('Removed by Mara Lindqvist').waitFor()
  })

  test('shows users only the records that they may restore, by name', async () => {
    const { workspace } = setup()
    const assignmentId = await workspace.assignment('Kept work')
    const record = (userId: string, amountHours: number) =>
      workspace.make('appointment', { assignmentId, userId, keepDate: '2026-11-16', amountHours })
    const own = await record(workspace.mara.id, 3.25)
    const foreign = await record(workspace.jonas.id, 4.75)
    await workspace.change('DELETE', 'appointment', { ids: [own.id, foreign.id] })
    const page = await setup().signIn('mara@example.com', '/removed/appointments')
    await page.getByText('3.25 h on 16 Nov · Mara Lindqvist', { exact: true }).waitFor()
    await page
      .getByText(/Kept work · Removed by Rosa Root, /)
      .first()
      .waitFor()
    assert.equal(await page.getByText('4.75 h').count(), 0)
    assert.equal(await page.getByRole('option', { name: 'Users' }).count(), 0)
    await page.getByRole('button', { name: 'Restore 3.25 h on 16 Nov' }).click()
    await page.getByText('3.25 h on 16 Nov · Mara Lindqvist · Kept work was restored.').waitFor()
  })
}

function reportJourneys(setup: () => BrowserSetup): void {
  /** Creates a separate project with two assignments in January 2028, and records 12.75 of 24 hours. */
  const seed = async (name: string) => {
    const { workspace } = setup()
    const { id: projectId } = await workspace.make('project', {
      name,
      organizationId: workspace.organizationId,
    })
    await workspace.make('userProject', { projectId, userId: workspace.mara.id })
    const long = await workspace.assignment('Two weeks', {
      projectId,
      startDate: '2028-01-06',
      endDate: '2028-01-12',
      amountHours: 20,
    })
    const short = await workspace.assignment('One day', {
      projectId,
      startDate: '2028-01-10',
      endDate: '2028-01-10',
      amountHours: 4,
    })
    const record = (assignmentId: string, keepDate: string, amountHours: number) =>
      workspace.make('appointment', { assignmentId, userId: workspace.mara.id, keepDate, amountHours })
    await record(long, '2028-01-06', 7.5)
    await record(long, '2028-01-10', 0.25)
    await record(short, '2028-01-16', 5)
    return { projectId }
  }
  /** Returns the texts of the rows with hours. */
  const rowsOf = async (page: Page, title: string) => {
    const table = page.getByRole('table', { name: title })
    await table.waitFor()
    const texts = await table.getByRole('row').evaluateAll((rows) =>
      rows.map((row) =>
        [...row.children]
          .map((cell) => cell.textContent.trim())
          .filter(Boolean)
          .join(' '),
      ),
    )
    // Ranges are written with thin spaces.
    return texts.map((text) => text.replaceAll(/\s/g, ' ')).filter((text) => !text.endsWith('– – – –'))
  }

  test('show the hours of a project by week, assignment and person', async () => {
    const { projectId } = await seed('Counted')
    const page = await setup().signIn('mara@example.com', `/projects/${projectId}/report?from=2027-12-06`)
    await page.getByRole('heading', { name: 'Hours', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Counted' }).waitFor()
    const chart = page.getByRole('img', { name: 'Hours per week' })
    assert.match((await chart.textContent()) ?? '', /12.75 h recorded, 24 h planned/)
    // Two of the five working days of “Two weeks” are in the first week. The second week also has the 4 hours
    // of “One day”. Its quarter of an hour for “Two weeks” uses up the plan of the first week.
    await page.getByRole('button', { name: 'Show as table' }).click()
    assert.deepEqual(await rowsOf(page, 'Hours per week'), [
      'Week Recorded Planned Left Over',
      '3 – 9 Jan 2028 7.5 h 8 h 0.25 h –',
      '10 – 16 Jan 2028 5.25 h 16 h 12 h 1 h',
    ])
    assert.deepEqual(await rowsOf(page, 'Hours per assignment'), [
      'Assignment Recorded Planned Left Over',
      'Two weeks 7.75 h 20 h 12.25 h –',
      'One day 5 h 4 h – 1 h',
    ])
    // The extra hour of one assignment does not reduce the remaining hours of the other.
    assert.deepEqual(await rowsOf(page, 'Hours per person'), [
      'Person Recorded Planned Left Over',
      'MLMara Lindqvist 12.75 h 24 h 12.25 h 1 h',
    ])
    const figures = await page.locator('.figures > div').allInnerTexts()
    assert.deepEqual(
      figures.map((text) => text.replaceAll(/\s+/g, ' ').trim()),
      ['Recorded 12.75 h', 'Planned 24 h', 'Left 12.25 h', 'Over 1 h'],
    )
  })

  test('draw each bar as high as its hours', async () => {
    const { projectId } = await seed('Drawn')
    const page = await setup().signIn('mara@example.com', `/projects/${projectId}/report?from=2027-12-06`)
    const heights = async (kind: string) => {
      const bars = page.getByRole('img', { name: 'Hours per week' }).locator(`.${kind}`)
      await bars.first().waitFor({ state: 'attached' })
      return bars.evaluateAll((all) =>
        all.map((bar) => Number(bar.getAttribute('height'))).filter((height) => height > 0),
      )
    }
    const [first = 0, second = 0, ...furtherHeights] = await heights('planned')
    // 8 and 16 hours are planned.
    assert.deepEqual(furtherHeights, [])
    assert.ok(Math.abs(second / first - 2) < 0.01, `${first} ${second}`)
    const [recorded = 0] = await heights('recorded')
    assert.ok(Math.abs(recorded / first - 7.5 / 8) < 0.01)
    // The figures above the chart belong to the week under the pointer.
    const figures = page.locator('.figures')
    await figures.getByText('12.75 h').waitFor()
    await page
      .locator('.week')
      .filter({ has: page.locator('.recorded') })
      .first()
      .hover()
    await figures.getByText('7.5 h').waitFor()
    // Only hours over the plan have another color.
    const lengths = (name: string, kind: string) =>
      page
        .getByRole('row', { name })
        .locator(`rect.${kind}`)
        .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('width')))
    assert.deepEqual(await lengths('One day', 'over'), ['5%'])
    assert.deepEqual(await lengths('One day', 'recorded'), ['20%'])
    assert.deepEqual(await lengths('Two weeks', 'over'), [])
  })

  test("add up the hours of the user's projects, link to each project, and move by four weeks", async () => {
    await seed('Summed')
    const { workspace } = setup()
    const { id } = await workspace.make('project', {
      name: 'Not mine',
      organizationId: workspace.organizationId,
    })
    await workspace.assignment('Hidden', {
      projectId: id,
      startDate: '2028-01-10',
      endDate: '2028-01-10',
      amountHours: 9,
    })
    const page = await setup().signIn('mara@example.com', '/reports?from=2027-12-06')
    const projects = await rowsOf(page, 'Hours per project')
    assert.ok(projects.includes('Summed 12.75 h 24 h 12.25 h 1 h'), projects.join())
    assert.ok(!projects.some((row) => row.startsWith('Not mine')))
    await page.getByRole('link', { name: 'Summed' }).click()
    await page.getByRole('heading', { name: 'Hours', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Summed' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: '4 weeks later' }).click()
    await page.waitForURL('**/reports?from=2028-01-03')
    await page.getByRole('button', { name: 'This week' }).click()
    await page.waitForURL('**/reports')
    await page.goBack()
    await page.waitForURL('**/reports?from=2028-01-03')
    await page.goto(page.url().replace('2028-01-03', '2035-01-01'))
    await page.getByText('No hours in these weeks').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Record hours' }).click()
    await page.waitForURL('**/week')
  })
}

describeInBrowser('In projects and administration', {
  projects: projectJourneys,
  'members of projects': memberJourneys,
  'organizations of projects': organizationJourneys,
  'settings of projects': projectSettingsJourneys,
  'stages of projects': projectStageJourneys,
  'an import': importJourneys,
  'the week': weekJourneys,
  reports: reportJourneys,
  administration: administrationJourneys,
  'the progress of projects': progressJourneys,
  'the table of users': userJourneys,
})
