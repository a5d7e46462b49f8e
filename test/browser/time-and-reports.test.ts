import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from './journeys/accessibility.ts'
import { layoutFaultsOf } from './journeys/widths.ts'
import { type BrowserSetup, resize } from './support/browser-setup.ts'
import { datedProjects } from './support/dated-projects.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

function sumJourneys(setup: () => BrowserSetup): void {
  const linesOf = async (page: Page) =>
    (await page.locator('.sums tbody tr').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())

  test('reports add up hours by project, user and week, can be filtered, and are exported and printed', async () => {
    const { signIn, workspace } = setup()
    const { projectId } = await datedProjects(setup).makeProject('Summed up')
    const days = { startDate: '2029-02-05', endDate: '2029-02-09' }
    const id = await workspace.assignment('Half done', { projectId, ...days, amountHours: 10 })
    const record = (userId: string, keepDate: string, amountHours: number) =>
      workspace.make('appointment', { assignmentId: id, userId, keepDate, amountHours })
    await record(workspace.mara.id, '2029-02-05', 2.5)
    await record(workspace.jonas.id, '2029-02-12', 3)
    await record(workspace.mara.id, '2029-03-01', 1)
    const page = await signIn(
      'mara@example.com',
      `/reports/sums?from=2029-02-01&to=2029-02-28&projectId=${projectId}`,
    )
    await page.getByRole('link', { name: 'Summed up' }).waitFor()
    // A custom period is in its two fields, and print shows it as a text.
    assert.equal(await page.getByText('1 – 28 Feb 2029').isVisible(), false)
    await page.getByText('3.5 h', { exact: true }).first().waitFor()
    assert.deepEqual(await linesOf(page), ['Summed up 5.5 h 2 6.5 h 10 h 3.5 h –'])
    await assertAccessible(page, 'sums')
    // The filters are behind a button, and each one that is set has a chip.
    await page.getByText('Project: Summed up').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const layer = page.getByRole('dialog', { name: 'Filter' })
    await layer.getByLabel('Type').selectOption('Feature')
    await layer.getByRole('combobox', { name: 'Person' }).fill('jonas')
    await layer.getByRole('option', { name: 'Jonas Weber' }).click()
    await page.keyboard.press('Escape')
    await layer.waitFor({ state: 'detached' })
    await page.getByText('Person: Jonas Weber').waitFor()
    await page.locator('.sums tbody tr', { hasText: /Summed up\s*3 h/ }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter Person' }).click()
    await page.getByRole('button', { name: 'Remove the filter Type' }).click()
    await page.locator('.sums tbody tr', { hasText: /Summed up\s*5\.5 h/ }).waitFor()
    // Hours that are recorded now appear, and reduce the remaining plan.
    await record(workspace.jonas.id, '2029-02-13', 4)
    await page.locator('.sums tbody .over-plan', { hasText: '0.5 h' }).waitFor()
    await page.getByLabel('By', { exact: true }).selectOption('Person')
    for (const initials of ['JW', 'ML'])
      await page.locator('.sums tbody').getByText(initials, { exact: true }).waitFor()
    assert.deepEqual(
      (await linesOf(page)).map((line) => line.split(' h')[0]),
      ['JW Jonas Weber 7', 'ML Mara Lindqvist 2.5'],
    )
    await page.getByLabel('Then by').selectOption('Week')
    await page.getByText('5 – 11 Feb 2029').waitFor()
    assert.equal((await linesOf(page)).length, 2)
    await page.reload()
    await page.getByText('5 – 11 Feb 2029').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'Hours 2029-02-01 2029-02-28.csv')
    const table = await readFile(await download.path(), 'utf8')
    // The table begins with the byte order mark for spreadsheets, and has the headers of the page.
    assert.match(table, /^\uFEFF"Person \(id\)","Person","Week","Hours","Entries"\r\n"[0-9a-f-]{36}",/)
    assert.match(table, /,"Jonas Weber","2029-02-12",7,2\r\n/)
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByRole('button', { name: 'CSV' }).isVisible(), false)
    assert.equal(await page.getByText('1 – 28 Feb 2029').isVisible(), true)
    await page.emulateMedia({ media: 'screen' })
    await page.getByLabel('Period').selectOption('Last year')
    await page.getByText('No hours in this period').waitFor()
    const faults: string[] = []
    for (const width of [320, 390, 768, 1440]) {
      await resize(page, width, 800)
      for (const fault of await layoutFaultsOf(page)) faults.push(`${width}: ${fault}`)
    }
    assert.deepEqual(faults, [])
  })

  test('after planned hours failed to load, Try again loads them into the report', async () => {
    const { signIn, workspace } = setup()
    const days = { startDate: '2029-08-06', endDate: '2029-08-10' }
    const assignmentId = await workspace.assignment('Planned twice', { ...days, amountHours: 8 })
    const entry = { assignmentId, userId: workspace.mara.id, keepDate: '2029-08-06', amountHours: 1 }
    await workspace.make('appointment', entry)
    const page = await signIn('mara@example.com', '/')
    const plan = '**/ext/reports/assignments?**'
    const failed = Promise.withResolvers<void>()
    let failures = 0
    await page.route(plan, async (route) => {
      await route.fulfill({
        status: 500,
        headers: { 'access-control-allow-origin': '*' },
        json: { statusCode: 500, message: 'Internal server error.' },
      })
      failures += 1
      // Its two reports are requested once more when the hours arrive.
      if (failures === 4) failed.resolve()
    })
    await page.goto(new URL('/reports/sums?from=2029-08-01&to=2029-08-31', page.url()).href)
    const retry = page.getByRole('button', { name: 'Try again' })
    await failed.promise
    await page.locator('.sums tbody tr').first().waitFor()
    await page.unroute(plan)
    await retry.click()
    await page.getByRole('columnheader', { name: 'Planned' }).waitFor()
  })

  test('reports show an error of a period only for that period', async () => {
    const { signIn } = setup()
    const page = await signIn('mara@example.com', '/')
    const hours = /\/appointments\?/
    await page.route(hours, (route) =>
      route.fulfill({
        status: 500,
        headers: { 'access-control-allow-origin': '*' },
        json: { statusCode: 500, message: 'Internal server error.' },
      }),
    )
    await page.goto(new URL('/reports', page.url()).href)
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    await page.unroute(hours)
    // The hours of the other period never arrive.
    await page.route(hours, () => undefined)
    await page.getByRole('button', { name: '4 weeks earlier' }).click()
    await retry.waitFor({ state: 'detached' })
  })

  test('the week shows notes and the free hours of each day', async () => {
    const { signIn, workspace } = setup()
    const { id: userId } = await workspace.join('Wilma Week')
    const days = { startDate: '2029-04-02', endDate: '2029-04-06' }
    const assignmentId = await workspace.assignment('Weekly', { userId, ...days, amountHours: 10 })
    const entry = { assignmentId, userId, keepDate: '2029-04-02', amountHours: 3 }
    await workspace.make('appointment', { ...entry, description: 'Drew the plan' })
    await workspace.make('appointment', { ...entry, keepDate: '2029-04-07', amountHours: 24 })
    await workspace.make('appointment', { ...entry, keepDate: '2029-04-07', amountHours: 1 })
    const page = await signIn('wilma@example.com', '/week?week=2029-04-02')
    await page.getByText('18 h over 10 h · ends 6 Apr 2029').waitFor()
    await page.getByText('Mon: Drew the plan').waitFor()
    await page.getByText('5 h free', { exact: true }).waitFor()
    // The four working days without hours are free, too, and those of a weekend do not reduce them.
    await page.getByText('37 h free', { exact: true }).waitFor()
    assert.equal(await page.getByText('8 h free', { exact: true }).count(), 4)
    // The heading of the sums has room for what is wrong with a day.
    const warning = page.getByRole('rowheader', { name: 'Total' }).getByText('Sat: More than 24 h')
    await warning.waitFor()
    // Every field is a box, also an empty one without the pointer or the focus. The days are equally narrow.
    const edge = await page
      .getByRole('textbox', { name: 'Weekly, Tue' })
      .evaluate((field) => getComputedStyle(field).borderTopColor)
    assert.doesNotMatch(edge, /, 0\)$/)
    await resize(page, 768, 1024)
    const widths = await page
      .locator('.week-sums > .number')
      .evaluateAll((cells) => cells.map((each) => Math.round(each.getBoundingClientRect().width)))
    assert.equal(new Set(widths).size, 1, widths.join())
    assert.ok(((await warning.boundingBox())?.height ?? 99) < 24, 'the warning is one line')
    // The figures of a day line up: its hours in the field, its sum, and what is free of it have no unit.
    const [monday = ''] = await page.locator('.week-sums > .number').allInnerTexts()
    assert.match(monday, /^3\s+5\s/)
    await page.locator('.week-sums').getByText('0 h', { exact: true }).first().waitFor()
    await page.getByLabel('Hours per day').fill('4h00')
    await page.keyboard.press('Enter')
    await page.getByText('1 h free', { exact: true }).waitFor()
    await page.getByText('17 h free', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('17 h free', { exact: true }).waitFor()
    await assertAccessible(page, 'week with a target')
    await page.getByRole('button', { name: 'Start a timer for Weekly' }).click()
    await page.getByRole('timer').waitFor()
  })
}

describeInBrowser('With recorded hours', { 'and planned hours': sumJourneys })
