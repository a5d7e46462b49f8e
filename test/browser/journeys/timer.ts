import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'
import { barFaultsOf } from './widths.ts'

export function timerJourneys(stage: () => Stage): void {
  test('runs from a card, through reloads and in every tab, until it is recorded with what it was for', async () => {
    const { hosts, signIn, workspace } = stage()
    await workspace.join('Tim Timer')
    const id = await workspace.assignment('Timed')
    const board = `/projects/${workspace.projectId}`
    const page = await signIn('tim@example.com', board)
    await page.locator(`#card-${id}`).focus()
    await page.keyboard.press('t')
    await page.getByRole('timer').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${hosts.web}/my-work`)
    await other.getByRole('timer').waitFor()
    await page.reload()
    await page.getByRole('timer').waitFor()
    // As if it had been started 90 minutes ago.
    await page.evaluate(`(() => {
      const kept = JSON.parse(localStorage.getItem('tracker.timer'))
      kept.since = new Date(Date.now() - 90 * 60_000).toISOString()
      localStorage.setItem('tracker.timer', JSON.stringify(kept))
    })()`)
    await other.getByText('1:30:0').waitFor()
    const faults: string[] = []
    for (const width of [320, 390, 641, 768, 935, 1440]) {
      await other.setViewportSize({ width, height: 800 })
      for (const fault of await barFaultsOf(other)) faults.push(`${width}: ${fault}`)
    }
    assert.deepEqual(faults, [])
    await other.locator('.timer-mark').getByRole('button', { name: 'Stop the timer' }).click()
    await assertAccessible(other, 'the end of a timer')
    assert.equal(await other.getByLabel('Hours', { exact: true }).inputValue(), '1.5')
    await other.getByLabel('What for').fill('Called the customer')
    await other.keyboard.press('Enter')
    await other.getByText('1.5 h recorded for Timed.').waitFor()
    await other.getByRole('timer').waitFor({ state: 'detached' })
    await page.getByRole('timer').waitFor({ state: 'detached' })
    await page.goto(`${hosts.web}${board}/assignments/${id}`)
    await page.getByText('Called the customer').waitFor()
  })

  test('of another assignment records the one before, and can be thrown away', async () => {
    const { signIn, workspace } = stage()
    await workspace.join('Tessa Timer')
    const first = await workspace.assignment('First timed')
    const second = await workspace.assignment('Then timed')
    const page = await signIn('tessa@example.com', `/projects/${workspace.projectId}/assignments/${first}`)
    await page.getByRole('button', { name: 'Start a timer for First timed' }).last().click()
    await page.evaluate(`(() => {
      const kept = JSON.parse(localStorage.getItem('tracker.timer'))
      localStorage.setItem('tracker.timer', JSON.stringify({ ...kept, since: new Date(Date.now() - 3_600_000).toISOString() }))
    })()`)
    await page.reload()
    await page.getByRole('timer').waitFor()
    await page.locator(`#card-${second}`).focus()
    await page.keyboard.press('t')
    await page.getByText('1 h recorded for First timed.').waitFor()
    await page.locator('.timer-mark', { hasText: 'Then timed' }).waitFor()
    await page.locator('.timer-mark').getByRole('button', { name: 'Stop the timer' }).click()
    await page.getByRole('button', { name: 'Discard the time' }).click()
    await page.getByRole('timer').waitFor({ state: 'detached' })
  })
}
