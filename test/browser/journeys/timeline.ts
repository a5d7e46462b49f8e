import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, showDay } from '../../../web/src/time/days.ts'
import { bar, datedProjects, monday } from '../support/dated-projects.ts'
import { dragWithFinger } from '../support/finger.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

export function timelineJourneys(stage: () => Stage): void {
  const { makeProject, dayOf } = datedProjects(stage)

  test('shows who does what when, tints days with too much to do, and hands over by dragging and by keys', async () => {
    const { signIn, workspace } = stage()
    const { path, make } = await makeProject('By person')
    const id = await make('Handed over', 0, 1, { amountHours: 24 })
    await make('Fits', 3, 3, { amountHours: 8 })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    const lane = (name: string) => page.getByRole('region', { name })
    await lane('Mara Lindqvist')
      .getByRole('link', { name: /^Handed over/ })
      .waitFor()
    assert.equal(await lane('Mara Lindqvist').locator('.timeline-day.over').count(), 2)
    assert.equal(await lane('Mara Lindqvist').locator('.timeline-day.fits').count(), 1)
    await assertAccessible(page, 'timeline')
    await bar(page, 'Handed over').focus()
    await page.keyboard.press('Shift+Alt+ArrowRight')
    await page.getByText('Handed over is now from').waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 2))
    assert.equal(await lane('Mara Lindqvist').locator('.timeline-day.over').count(), 0)
    await page.keyboard.press('Shift+ArrowUp')
    await lane('Jonas Weber')
      .getByRole('link', { name: /^Handed over/ })
      .waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    // With the pointer, back and two days later.
    const box = await bar(page, 'Handed over').boundingBox()
    const day = await page.locator('.timeline-day').first().boundingBox()
    const goal = await lane('Mara Lindqvist').boundingBox()
    assert.ok(box && day && goal)
    await page.mouse.move(box.x + 5, box.y + 5)
    await page.mouse.down()
    await page.mouse.move(box.x + 5 + 2 * day.width, goal.y + 20, { steps: 4 })
    await page.mouse.up()
    await lane('Mara Lindqvist')
      .getByRole('link', { name: /^Handed over/ })
      .waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    await page.getByText('Handed over is now for Mara Lindqvist').waitFor()
    assert.equal(await dayOf(id, 'startDate'), addDays(monday, 2))
    assert.equal((await workspace.get('assignment', id)).userId, workspace.mara.id)
    // Escape lets go of it where it was. Meanwhile no other bar is pointed at: finding out which costs a long frame.
    const held = await bar(page, 'Handed over').boundingBox()
    assert.ok(held)
    await page.mouse.move(held.x + 5, held.y + 5)
    await page.mouse.down()
    await page.mouse.move(held.x + 5, box.y + 5, { steps: 4 })
    await page.locator('[data-person].drop', { hasText: 'Jonas Weber' }).waitFor()
    const pointed = `document.elementFromPoint(${held.x + 5}, ${box.y + 5}).className`
    assert.equal(await page.evaluate(pointed), 'timeline-veil')
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.drop, .dragging, .timeline-veil').count(), 0)
    await page.mouse.up()
    assert.deepEqual(await bar(page, 'Handed over').boundingBox(), held)
  })

  test('gives other days to a bar that a finger was held on, and its end alone where it ends; other fingers scroll', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('By finger')
    const id = await make('Held', 0, 1)
    const options = { viewport: { width: 1000, height: 800 }, hasTouch: true }
    const page = await signIn('mara@example.com', `${path}?view=timeline`, options)
    await bar(page, 'Held').waitFor()
    const drag = async (days: number, isHeld: boolean, place: 'middle' | 'end' = 'middle') => {
      const box = await bar(page, 'Held').boundingBox()
      const day = await page.locator('.timeline-day').first().boundingBox()
      assert.ok(box && day)
      const from = { x: box.x + (place === 'end' ? box.width - 4 : box.width / 2), y: box.y + box.height / 2 }
      await dragWithFinger(page, from, { ...from, x: from.x + days * day.width }, { isHeld })
    }
    await drag(2, false)
    await drag(3, true)
    const shown = (first: number, last: number) =>
      `Held is now from ${showDay(addDays(monday, first))} to ${showDay(addDays(monday, last))}.`
    await page.getByText(shown(3, 4)).waitFor()
    assert.equal(await dayOf(id, 'startDate'), addDays(monday, 3))
    await drag(2, true, 'end')
    await page.getByText(shown(3, 6)).waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 6))
    assert.equal(new URL(page.url()).pathname, path)
  })

  test('ends nothing before it starts: a bar stays on its first day, and says so, dragged or by keys', async () => {
    const { signIn } = stage()
    const { path, make } = await makeProject('Not before')
    // Programs may give a start any time of the day.
    const id = await make('Short', 1, 3, { startDate: `${addDays(monday, 1)}T09:30:00.000Z` })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    await bar(page, 'Short').waitFor()
    const box = await bar(page, 'Short').boundingBox()
    const day = await page.locator('.timeline-day').first().boundingBox()
    assert.ok(box && day)
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width - 4, y)
    await page.mouse.down()
    await page.mouse.move(box.x - 2 * day.width, y, { steps: 4 })
    await page.locator(`#card-${id}.at-limit`).waitFor()
    const shown = await bar(page, 'Short').boundingBox()
    assert.ok(shown && Math.abs(shown.width - day.width) < 4 && Math.abs(shown.x - box.x) < 1)
    await page.mouse.up()
    const start = showDay(addDays(monday, 1))
    const refused = page.getByText(`Short starts on ${start} and cannot end before that.`)
    await refused.waitFor()
    await page.getByText(`Short is now from ${start} to ${start}.`).waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 1))
    // By keys the same, said once however often it is tried.
    await page.getByRole('button', { name: 'Dismiss' }).first().click()
    await refused.waitFor({ state: 'detached' })
    await bar(page, 'Short').focus()
    await page.keyboard.press('Shift+Alt+ArrowLeft')
    await refused.waitFor()
    await page.keyboard.press('Shift+Alt+ArrowLeft')
    assert.equal(await refused.count(), 1)
    await page.keyboard.press('Shift+Alt+ArrowRight')
    await page.getByText(`Short is now from ${start} to ${showDay(addDays(monday, 2))}.`).waitFor()
    assert.equal(await dayOf(id, 'endDate'), addDays(monday, 2))
  })
}
