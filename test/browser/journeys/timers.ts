import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/sql.ts'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'
import { layoutFaultsOf } from './widths.ts'

const otherDevice = { viewport: { width: 390, height: 800 }, hasTouch: true }

export function timerJourneys(setup: () => BrowserSetup): void {
  test('is started on a card, and runs in every tab until it is recorded', async () => {
    const { hosts, signIn, workspace } = setup()
    const tim = await workspace.join('Tim Timer')
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
    await setStartMinutesAgo(hosts, tim.id, 90)
    await other.reload()
    await other.getByText(/^1:30:\d\d$/).waitFor()
    const faults: string[] = []
    for (const width of [320, 390, 641, 768, 935, 1440]) {
      await resize(other, width, 800)
      for (const fault of await layoutFaultsOf(other)) faults.push(`${width}: ${fault}`)
    }
    assert.deepEqual(faults, [])
    await resize(other, 390, 800)
    assert.equal(await other.locator('.brand').isVisible(), true)
    const box = await other.locator('.timer-mark').boundingBox()
    // The timer is in one row with the brand, and its text does not wrap.
    assert.ok(box && box.y > 4 && box.height === 32, JSON.stringify(box))
    await other.locator('.timer-mark').getByRole('button', { name: 'Stop the timer' }).click()
    await assertAccessible(other, 'the end of a timer')
    // The time in the dialog no longer increases.
    const stopped = await other.locator('.timer-clock').textContent()
    await other.waitForTimeout(1300)
    assert.equal(await other.locator('.timer-clock').textContent(), stopped)
    // The timer has run on since its start was set. A hundredth of an hour is 36 seconds.
    const hours = await other.getByRole('textbox', { name: 'Hours', exact: true }).inputValue()
    assert.match(hours, /^1\.5\d?$/)
    await other.getByLabel('Note').fill('Called the customer')
    await other.keyboard.press('Enter')
    await other.getByText(`${hours} h recorded for Timed.`).waitFor()
    await other.getByRole('timer').waitFor({ state: 'detached' })
    await page.getByRole('timer').waitFor({ state: 'detached' })
    await page.goto(`${hosts.web}${board}/assignments/${id}`)
    await page.getByText('Called the customer').waitFor()
  })

  test('is recorded when another timer is started', async () => {
    const { hosts, signIn, workspace } = setup()
    const tessa = await workspace.join('Tessa Timer')
    const first = await workspace.assignment('First timed')
    const second = await workspace.assignment('Then timed')
    const page = await signIn('tessa@example.com', `/projects/${workspace.projectId}/assignments/${first}`)
    await page.getByRole('button', { name: 'Start a timer for First timed' }).last().click()
    await page.getByRole('timer').waitFor()
    await setStartMinutesAgo(hosts, tessa.id, 60)
    await page.reload()
    await page.getByRole('timer').waitFor()
    await page.locator(`#card-${second}`).focus()
    await page.keyboard.press('t')
    await page.getByText(/1(\.0\d)? h recorded for First timed\./).waitFor()
    await page.locator('.timer-mark', { hasText: 'Then timed' }).waitFor()
    await page.locator('.timer-mark').getByRole('button', { name: 'Stop the timer' }).click()
    await page.getByRole('button', { name: 'Discard the hours' }).click()
    await page.getByRole('timer').waitFor({ state: 'detached' })
  })

  test('is started and stopped in the context menu of a card and of a row', async () => {
    const { signIn, workspace } = setup()
    await workspace.join('Tamara Timer')
    const id = await workspace.assignment('Timed by its menu')
    const board = `/projects/${workspace.projectId}?search=${encodeURIComponent('Timed by its menu')}`
    const page = await signIn('tamara@example.com', board)
    const menuItem = async (name: string) => {
      await page.locator(`[data-row="${id}"]`).click({ button: 'right' })
      // The key of the timer follows the name.
      return page.getByRole('dialog').getByRole('option', { name: new RegExp(`^${name}( T)?$`) })
    }
    await (await menuItem('Start a timer')).click()
    await page.getByRole('timer', { name: 'Running for Timed by its menu' }).waitFor()
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await page.locator(`.list-row[data-row="${id}"]`).waitFor()
    await (await menuItem('Stop the timer')).click()
    await page.getByRole('button', { name: 'Discard the hours' }).click()
    await page.getByRole('timer').waitFor({ state: 'detached' })
    await (await menuItem('Start a timer')).waitFor()
  })

  test('shows for which assignment it cannot be started, after the previous timer was recorded', async () => {
    const { hosts, signIn, workspace } = setup()
    const tilda = await workspace.join('Tilda Timer')
    const first = await workspace.assignment('Recorded in time')
    const second = await workspace.assignment('Not started')
    const page = await signIn('tilda@example.com', `/projects/${workspace.projectId}/assignments/${first}`)
    await page.getByRole('button', { name: 'Start a timer for Recorded in time' }).last().click()
    await page.getByRole('timer').waitFor()
    await setStartMinutesAgo(hosts, tilda.id, 60)
    await page.reload()
    await page.getByRole('timer').waitFor()
    await page.route('**/ext/timer', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    )
    await page.locator(`#card-${second}`).focus()
    await page.keyboard.press('t')
    await page.getByText('Not started: The server answered 503.').waitFor()
    await page.getByText(/1(\.0\d)? h recorded for Recorded in time\./).waitFor()
  })

  test('is shown on the other devices of the account', async () => {
    const { hosts, signIn, workspace } = setup()
    const tova = await workspace.join('Tova Timer')
    const id = await workspace.assignment('Timed elsewhere')
    const board = `/projects/${workspace.projectId}`
    const desk = await signIn('tova@example.com', `${board}/assignments/${id}`)
    await desk.getByRole('button', { name: 'Start a timer for Timed elsewhere' }).last().click()
    await desk.getByRole('timer').waitFor()
    await setStartMinutesAgo(hosts, tova.id, 11 * 60)
    // A page that has been open all the time asks only once, when the user comes back to it.
    const comeBack = () =>
      Promise.all([
        desk.waitForResponse((response) => response.url().endsWith('/ext/timer')),
        desk.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`),
      ])
    const question = /The timer ran for 11(\.0\d)? h\. Did you forget it\?/
    await comeBack()
    await desk.getByText(question).waitFor()
    await desk.getByRole('button', { name: 'Keep it running' }).click()
    await comeBack()
    const phone = await signIn('tova@example.com', '/my-work', otherDevice)
    await phone.getByText(question).waitFor()
    await assertAccessible(phone, 'the question about a forgotten timer')
    assert.equal(await desk.getByText('Did you forget it?').count(), 0)
    // The first device notices the end within a minute, or at the next action. Its minute does not end before that.
    let hasActed = false
    await desk.route('**/ext/timer', (route) => {
      hasActed ||= route.request().method() === 'DELETE'
      return hasActed ? route.continue() : route.abort()
    })
    await phone.getByRole('textbox', { name: 'Hours', exact: true }).fill('2')
    await phone.getByRole('button', { name: 'Record' }).click()
    await phone.getByText('2 h recorded for Timed elsewhere.').waitFor()
    await desk.locator('.timer-mark').getByRole('button', { name: 'Stop the timer' }).click()
    await desk.getByRole('button', { name: 'Discard the hours' }).click()
    await desk.getByRole('timer').waitFor({ state: 'detached' })
    await desk.getByText('The timer was ended on another device.').waitFor()
    await desk.reload()
    await desk.getByText('2 h of 8 h').waitFor()
    const mine = `/ext/query/appointments?filter=${encodeURIComponent(`userId eq '${tova.id}'`)}`
    assert.equal((await workspace.call('GET', mine)).result.data.length, 1)
    await phone.keyboard.press('Control+z')
    await until(async () => (await workspace.call('GET', mine)).result.data.length === 0, 'the undone entry')
  })
}

const setStartMinutesAgo = (
  { database }: Pick<BrowserSetup['hosts'], 'database'>,
  userId: string,
  minutes: number,
) =>
  database.query(sql`
    update timers set started_at = now() - make_interval(mins => ${minutes}::int) where user_id = ${userId}`)
