import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { addDays } from '../../../web/src/time/days.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects, monday } from '../support/dated-projects.ts'

export function listExportJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('has the shown rows and columns', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('Saved as a table')
    await make('=1+1', 0, 1)
    await make('Later', 2, 3, { amountHours: 2.5 })
    await make('Hidden by the filter', 4, 4)
    const page = await signIn(
      'mara@example.com',
      `${path}?view=list&group=stage&columns=key,end,hours&dateTo=${addDays(monday, 3)}`,
    )
    await page.getByRole('link', { name: 'Later', exact: true }).waitFor()
    // The names of stages arrive separately.
    await page.getByRole('rowheader', { name: 'Backlog' }).waitFor()
    await page.getByRole('button', { name: 'Display' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^Assignments \d{4}-\d\d-\d\d\.csv$/)
    const table = await readFile(await download.path(), 'utf8')
    assert.equal(
      table.replaceAll(/"[A-Z]+(?=-\d+")/g, '"KEY'),
      [
        '\uFEFF"Stage","Key","Name","End","Planned"',
        `"Backlog","KEY-1","'=1+1","${addDays(monday, 1)}",8`,
        `"Backlog","KEY-2","Later","${addDays(monday, 3)}",2.5`,
        '',
      ].join('\r\n'),
    )
  })
}
