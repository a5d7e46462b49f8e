import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Stage } from '../support/stage.ts'

export function reportJourneys(stage: () => Stage): void {
  /** A project of its own with two assignments in January 2028, half done. */
  const furnish = async (name: string) => {
    const { workspace } = stage()
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
    const book = (assignmentId: string, keepDate: string, amountHours: number) =>
      workspace.make('appointment', { assignmentId, userId: workspace.mara.id, keepDate, amountHours })
    await book(long, '2028-01-06', 7.5)
    await book(long, '2028-01-10', 0.25)
    await book(short, '2028-01-16', 5)
    return { projectId }
  }
  const rowsOf = async (page: Page, name: string) => {
    const figure = page.getByRole('figure', { name })
    await figure.getByRole('button', { name: 'Show as table' }).focus()
    await page.keyboard.press('Enter')
    const texts = await figure.getByRole('row').allTextContents()
    // Ranges are written with thin spaces.
    return texts
      .map((text) => text.replaceAll(/\s/g, ' '))
      .filter((text) => !/[^.\d]0 h0 h$|20280 h0 h$|20270 h0 h$/.test(text))
  }

  test('show the hours of a project by week and by assignment, the plan spread over working days', async () => {
    const { projectId } = await furnish('Counted')
    const page = await stage().signIn('mara@example.com', `/projects/${projectId}/report?from=2027-12-06`)
    await page.getByRole('heading', { name: 'Hours', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Counted' }).first().waitFor()
    const chart = page.getByRole('img', { name: 'Hours per week' })
    assert.match((await chart.textContent()) ?? '', /12.75 h recorded, 24 h planned/)
    // Two of its five working days are in the first week, three in the second, with the other assignment’s 4 hours.
    assert.deepEqual(await rowsOf(page, 'Hours per week'), [
      'WeekRecordedPlanned',
      '3 – 9 Jan 20287.5 h8 h',
      '10 – 16 Jan 20285.25 h16 h',
    ])
    assert.deepEqual(await rowsOf(page, 'Hours per assignment'), [
      'AssignmentRecordedPlanned',
      'Two weeks7.75 h20 h',
      'One day5 h4 h',
    ])
  })

  test('draw each bar as high as its hours', async () => {
    const { projectId } = await furnish('Drawn')
    const page = await stage().signIn('mara@example.com', `/projects/${projectId}/report?from=2027-12-06`)
    const heights = async (kind: string) => {
      const bars = page.getByRole('img', { name: 'Hours per week' }).locator(`.${kind}`)
      await bars.first().waitFor({ state: 'attached' })
      return bars.evaluateAll((all) =>
        all.map((bar) => Number(bar.getAttribute('height'))).filter((height) => height > 0),
      )
    }
    const [first = 0, second = 0, ...others] = await heights('planned')
    assert.deepEqual(others, [])
    assert.ok(Math.abs(second / first - 2) < 0.01, `${first} ${second}`)
    const [recorded = 0] = await heights('recorded')
    assert.ok(Math.abs(recorded / first - 7.5 / 8) < 0.01)
  })

  test('sum up the projects one is a member of, lead to each, and go back and forth in time', async () => {
    await furnish('Summed')
    const { workspace } = stage()
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
    const page = await stage().signIn('mara@example.com', '/reports?from=2027-12-06')
    const projects = await rowsOf(page, 'Hours per project')
    assert.ok(projects.includes('Summed12.75 h24 h'), projects.join())
    assert.ok(!projects.some((row) => row.startsWith('Not mine')))
    await page.getByRole('link', { name: 'Summed' }).click()
    await page.getByRole('heading', { name: 'Hours', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Summed' }).first().waitFor()
    await page.goBack()
    await page.getByRole('button', { name: '4 weeks later' }).click()
    await page.waitForURL('**/reports?from=2028-01-03')
    await page.goto(page.url().replace('2028-01-03', '2035-01-01'))
    await page.getByText('No hours in these weeks').waitFor()
  })
}
