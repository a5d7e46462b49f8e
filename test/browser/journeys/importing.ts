import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

const table = `Title,Status,Assignee,Due date,Tags,Remark,Notes
Plant the hedge,Closed,mara@example.com,31/12/2026,"garden, green",Water it daily,Along the wall
Paint the fence,Odd stage,Stranger,,garden,,
,,,,,,no name
`

export function importJourneys(setup: () => BrowserSetup): void {
  const chooseFile = (page: Page, name: string, text: string) =>
    page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  /** Opens the import of a separate project, so that cards can be counted. */
  const openImport = async (name: string, options?: Parameters<BrowserSetup['signIn']>[2]) => {
    const { signIn, workspace } = setup()
    const { id } = await workspace.make('project', { name, organizationId: workspace.organizationId })
    await workspace.make('userProject', { projectId: id, userId: workspace.mara.id })
    const page = await signIn('mara@example.com', `/projects/${id}/import`, options)
    return { id, page }
  }

  for (const { device, options } of [
    { device: 'a desktop', options: {} },
    { device: 'a phone', options: { viewport: { width: 390, height: 844 } } },
  ])
    test(`creates an assignment for each row of a table, on ${device}`, async () => {
      const { id, page } = await openImport(`Imported on ${device}`, options)
      // The page says what a file needs before one is chosen.
      const format = page.getByRole('region', { name: 'Columns of a table' })
      assert.deepEqual(await format.getByRole('term').allTextContents(), ['Required', 'Optional'])
      const names = await format.getByRole('listitem').allTextContents()
      assert.match(names.join(', '), /^Name, Description, Stage, .*Labels/)
      await chooseFile(page, 'garden.csv', table)
      await page.getByLabel('Field of Remark').selectOption('Comment')
      assert.equal(await page.getByLabel('Field of Notes').inputValue(), 'description')
      await page.getByLabel('Odd stage').selectOption('Doing')
      await page.getByText('One row cannot be imported').waitFor()
      await page.getByText('The name is missing.').first().waitFor()
      // The login matches a user. The name Stranger does not.
      await page.getByText('One row has people who are not matched.').waitFor()
      await assertAccessible(page, 'an import')
      await page.getByRole('button', { name: 'Import 2 assignments' }).click()
      await page.getByText('The import of garden.csv is complete.').waitFor()
      await page.getByText('2 assignments were created. One row was left out.').waitFor()
      const shown = page.getByRole('link', { name: 'Show what was imported' })
      assert.equal(await shown.getAttribute('href'), `/projects/${id}?view=list&changed=1&sort=-changed`)

      await page.getByRole('link', { name: 'Show the project' }).click()
      for (const name of ['Plant the hedge', 'Paint the fence']) await page.getByText(name).first().waitFor()
      const { hosts, workspace } = setup()
      const rows = await hosts.database.query(sql`
        select row.name, stage.name as stage, to_char(row.end_date at time zone 'UTC', 'YYYY-MM-DD') as due,
          row.user_id = ${workspace.mara.id} and not row.is_unassigned as mara, row.is_unscheduled as undated,
          array(select label.name from assignment_labels as link join labels as label on label.id = link.label_id
            where link.assignment_id = row.id order by label.name) as labels,
          array(select text from comments where assignment_id = row.id) as comments
        from assignments as row join workflows as stage on stage.id = row.workflow_id
        where row.project_id = ${id} order by row.name desc`)
      assert.partialDeepStrictEqual(rows, [
        {
          name: 'Plant the hedge',
          stage: 'Done',
          due: '2026-12-31',
          mara: true,
          undated: false,
          labels: ['garden', 'green'],
          comments: ['Water it daily'],
        },
        {
          name: 'Paint the fence',
          stage: 'Doing',
          mara: false,
          undated: true,
          labels: ['garden'],
          comments: [],
        },
      ])

      await page.goto(`${setup().hosts.web}/projects/${id}/import`)
      await page.getByRole('button', { name: 'Undo garden.csv' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
      await page.getByText('The import of garden.csv was undone.').waitFor()
      assert.equal(await countAssignments(setup(), id), 0)
    })

  test('continues after an interruption', async () => {
    const { id, page } = await openImport('Interrupted')
    const rows = Array.from({ length: 600 }, (_, index) => `Row ${index},numbered`)
    const many = ['Title,Label', ...rows].join('\n')
    let batchCount = 0
    await page.route('**/ext/batch', async (route) => {
      batchCount += 1
      // The third batch is stored, but its response is lost.
      if (batchCount === 3) await route.fetch()
      return batchCount < 3 ? route.continue() : route.abort()
    })
    await chooseFile(page, 'many.csv', many)
    await page.getByRole('button', { name: 'Import 600 assignments' }).click()
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    await page.unroute('**/ext/batch')
    let continuedBatchCount = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/ext/batch') && request.method() === 'POST') continuedBatchCount += 1
    })

    await page.reload()
    await page.getByText('stopped; choose the file again to continue').waitFor()
    await chooseFile(page, 'many.csv', many)
    await page.getByText('Part of this file was imported before.').waitFor()
    await page.getByRole('button', { name: 'Continue the import' }).click()
    await page.getByText('The import of many.csv is complete.').waitFor()
    assert.equal(await page.getByText('The server rejected').count(), 0)
    assert.equal(continuedBatchCount, 2)
    assert.equal(await countAssignments(setup(), id), 600)
  })

  test('counts every row and every label that the server rejects', async () => {
    const { page } = await openImport('Rejected rows')
    const rows = Array.from({ length: 600 }, (_, index) => `Row ${index},${index % 2 ? 'Odd' : 'Even'}`)
    await page.route('**/ext/batch', (route) => {
      const { items } = route.request().postDataJSON() as { items: readonly unknown[] }
      const result = { statusCode: 409, message: 'Too many.' }
      return route.fulfill({ json: { results: items.map(() => result) } })
    })
    await chooseFile(page, 'rejected.csv', ['Title,Label', ...rows].join('\n'))
    await page.getByRole('button', { name: 'Import 600 assignments' }).click()
    await page.getByText('The server rejected 600 rows').waitFor()
    await page.getByText('And 400 more.').waitFor()
    const labels = page.getByRole('group').filter({ hasText: 'The server rejected 2 labels' })
    assert.deepEqual(await labels.getByRole('listitem').allTextContents(), [
      'Even Too many.',
      'Odd Too many.',
    ])
  })

  test('names what an undo cannot remove, and undoes the rest once that is possible', async () => {
    const { workspace } = setup()
    const { id, page } = await openImport('Undone in two steps')
    const file = 'Title\nWorked on\nUntouched'
    await chooseFile(page, 'worked.csv', file)
    // The batch is stored, but its response is lost, so the import is not finished.
    await page.route('**/ext/batch', async (route) => {
      await route.fetch()
      await route.fulfill({ status: 400, json: { statusCode: 400, message: 'Lost.' } })
    })
    await page.getByRole('button', { name: 'Import 2 assignments' }).click()
    await page.getByRole('alert').getByText('Lost.').waitFor()
    await page.unroute('**/ext/batch')
    await page.getByRole('button', { name: 'Cancel' }).click()
    const earlier = page.getByRole('listitem').filter({ hasText: 'worked.csv' })
    await earlier.getByText('stopped; choose the file again to continue').waitFor()
    const { result } = await workspace.call('GET', `/ext/assignments?projectId=${id}`)
    const worked = result.data.find(({ name }: { name: string }) => name === 'Worked on')
    const appointment = await workspace.make('appointment', {
      assignmentId: worked.id,
      userId: workspace.mara.id,
      keepDate: '2026-11-16',
      amountHours: 1,
      description: 'Later',
    })
    const undo = async () => {
      await page.getByRole('button', { name: 'Undo worked.csv' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    }
    await undo()
    await page.getByText('The import of worked.csv was not undone completely.').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    const left = page.getByRole('group').filter({ hasText: 'One item of worked.csv could not be removed' })
    await left.getByText('It still has hours. Remove them first.').waitFor()
    const link = left.getByRole('link', { name: 'Worked on' })
    assert.equal(await link.getAttribute('href'), `/projects/${id}/assignments/${worked.id}`)
    assert.equal(await countAssignments(setup(), id), 1)
    await earlier.getByText('· not undone completely').waitFor()
    // Removed rows cannot be created again with their ids, so the file is not continued but imported again.
    await chooseFile(page, 'worked.csv', file)
    await page.getByRole('button', { name: 'Import 2 assignments' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await workspace.change('DELETE', 'appointment', { ids: [appointment.id] })
    await undo()
    await page.getByText('The import of worked.csv was undone.').waitFor()
    assert.equal(await left.count(), 0)
    assert.equal(await countAssignments(setup(), id), 0)
  })

  test('skips assignments that the project already has', async () => {
    const { workspace } = setup()
    const { id, page } = await openImport('Imported again')
    const assignmentId = await workspace.assignment('Known', { projectId: id })
    const { project } = await workspace.call('GET', `/ext/project?id=${id}`)
    const { assignment } = await workspace.call('GET', `/ext/assignment?id=${assignmentId}`)
    const rows = [`${project.key}-${assignment.number},Known`, `${project.key}-999,New`]
    await chooseFile(page, 'again.csv', ['Key,Title', ...rows].join('\n'))
    await page.getByText('is in this project. To import it again').first().waitFor()
    await page.getByRole('button', { name: 'Import one assignment' }).waitFor()
    await page.getByLabel('Field of Key').selectOption('')
    await page.getByRole('button', { name: 'Import 2 assignments' }).click()
    await page.getByText('2 assignments were created.').waitFor()
    assert.equal(await countAssignments(setup(), id), 3)
  })

  test('explains what is wrong with a file', async () => {
    const { page } = await openImport('Wrong files')
    await chooseFile(page, 'empty.csv', 'Title\n')
    await page.getByText('The file has no rows.').waitFor()
    await chooseFile(page, 'other.json', '{"some": "thing"}')
    await page.getByText('The JSON file is not a Trello board.').waitFor()
    await chooseFile(page, 'nameless.csv', 'Colour\nred\n')
    await page.getByText('Choose the column with the names.').waitFor()
    assert.ok(await page.getByRole('button', { name: /^Import/ }).isDisabled())
  })
}

async function countAssignments({ hosts }: BrowserSetup, projectId: string): Promise<number | undefined> {
  const [row] = await hosts.database.query<{ count: number }>(
    sql`select count(*)::int as count from assignments where active and project_id = ${projectId}`,
  )
  return row?.count
}
