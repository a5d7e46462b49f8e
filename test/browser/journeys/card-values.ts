import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { assertAccessible } from './accessibility.ts'

export function cardValueJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('are changed in a menu next to the value', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Values on cards')
    const id = await make('Clicked', 0, 1)
    await workspace.call('PATCH', '/ext/assignment', { id, priority: 3 })
    const page = await signIn('mara@example.com', path)
    const card = page.locator(`.card[data-row="${id}"]`)
    await card.locator('[data-field=priority]').click()
    const picker = page.getByRole('dialog')
    const current = picker.getByRole('option', { name: 'High' })
    await current.and(page.locator('[aria-selected=true]')).waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    await assertAccessible(page, 'a picker at a card')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('Clicked · Urgent').waitFor()
    assert.equal((await workspace.call('GET', `/ext/assignment?id=${id}`)).assignment.priority, 4)
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Undone: “Clicked · Urgent”').waitFor()
    const isPriority = (priority: number) => async () =>
      (await workspace.call('GET', `/ext/assignment?id=${id}`)).assignment.priority === priority
    await until(isPriority(3), 'the priority before')
    await page.keyboard.press('Control+Shift+Z')
    await page.getByText('Redone: Clicked · Urgent').waitFor()
    await until(isPriority(4), 'the priority again')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await until(isPriority(3), 'the priority before')
    await card.locator('[data-field=person]').click()
    await picker.getByRole('option', { name: 'Jonas Weber' }).click()
    await card.getByRole('img', { name: 'Jonas Weber' }).waitFor()
    // The message takes the place of the one about the undone change.
    await page.locator('.toast', { hasText: 'Jonas Weber is now responsible for Clicked.' }).waitFor()
    assert.equal(await page.locator('.toast').count(), 1)
    await card.locator('[data-field=hours]').click()
    await picker.getByRole('option', { name: '16 h' }).click()
    await card.getByText('16 h').waitFor()
    // The message of an undone change is the only one, and undoes the change before it.
    await page.getByText('2 changes saved').waitFor()
    await page.keyboard.press('Control+z')
    const message = page.locator('.toast', { hasText: 'Undone: “Clicked · 16 h”' })
    await message.getByRole('button', { name: 'Undo 1 more' }).waitFor()
    assert.equal(await page.locator('.toast').count(), 1)
    const isPlanned = (hours: number) => async () =>
      (await workspace.get('assignment', id)).amountHours === hours
    await until(isPlanned(8), 'the hours before')
    await page.keyboard.press('Control+Shift+Z')
    await page.getByText('Redone: Clicked · 16 h').waitFor()
    await until(isPlanned(16), 'the hours again')
    await card.getByText('16 h').waitFor()
    // A message ends with its screen. The change can be undone on the next screen, and redone after coming back.
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('heading', { name: 'My week' }).waitFor()
    await page.locator('.toast').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await page.getByText('Undone: “Clicked · 16 h”').waitFor()
    await until(isPlanned(8), 'the hours before')
    await page.goBack()
    await card.getByText('8 h').waitFor()
    await page.locator('.toast').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+Z')
    await until(isPlanned(16), 'the hours again')
    await card.getByText('16 h').waitFor()
    // Choosing the value again changes nothing, so nothing is sent that could be undone.
    const updates: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') updates.push(`${request.method()} ${request.url()}`)
    })
    await card.locator('[data-field=hours]').click()
    await picker.getByRole('option', { name: '16 h' }).click()
    await picker.waitFor({ state: 'detached' })
    const record = (amountHours: number) =>
      workspace.make('appointment', {
        assignmentId: id,
        userId: workspace.jonas.id,
        keepDate: '2026-11-16',
        amountHours,
      })
    await record(4)
    await card.getByText('4/16 h').waitFor()
    assert.deepEqual(updates, [])
    await card.getByText('4 of 16 h recorded').waitFor()
    const assertShare = async (share: number) => {
      const [whole = 0, part = 0] = await card
        .locator('.hours-mark :is(.bar-track, .bar-part)')
        .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width))
      assert.ok(whole > 0 && Math.abs(part / whole - share) < 0.05, `${part} of ${whole} pixels`)
    }
    await assertShare(4 / 16)
    await record(20.5)
    await card.locator('.over').getByText('24.5/16 h').waitFor()
    await assertShare(16 / 24.5)
    await assertAccessible(page, 'a card with recorded hours')
    // A menu has the size of other texts, whatever that of its button.
    await card.hover()
    await card.getByRole('button', { name: /^Move / }).click()
    const fontOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).fontSize)
    assert.equal(await fontOf(page.getByRole('menuitem').first()), await fontOf(page.locator('body')))
    await page.keyboard.press('Escape')
    // Cards do not wait for recorded hours, and do not move when these arrive.
    const held = Promise.withResolvers<void>()
    await page.route('**/ext/reports/hours?**', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.reload()
    await card.getByText('16 h', { exact: true }).waitFor()
    const boxes = () =>
      card
        .locator('.card-facts > *')
        .evaluateAll((facts) => facts.map((fact) => fact.getBoundingClientRect().x))
    const boxesBefore = await boxes()
    held.resolve()
    await card.getByText('24.5/16 h').waitFor()
    assert.deepEqual(await boxes(), boxesBefore)
    await card.locator('[data-field=type]').click()
    await picker.getByRole('option').first().waitFor()
    await page.keyboard.press('Escape')
    await card.locator('[data-field=end]').click()
    await picker.getByRole('table').waitFor()
    await page.keyboard.press('Escape')
    await picker.waitFor({ state: 'detached' })
    await card.hover()
    assert.deepEqual(await card.evaluate(footersOf), [
      '',
      '16 h',
      '24.5/16 h',
      '24.5/16 h →',
      '24.5/16 h → ▷',
    ])
    // Nothing is left of finished work, so it needs no bar.
    await page.keyboard.press('s')
    await picker.getByRole('option', { name: 'Done' }).click()
    await card.locator('.hours-mark:not(:has(rect))').getByText('24.5/16 h').waitFor()
    await page.getByRole('link', { name: 'Clicked' }).click()
    await page.getByRole('complementary', { name: 'Clicked' }).waitFor()
  })

  test('are also shown in a row of My work, and changed by keys there', async () => {
    const { signIn, workspace } = setup()
    const { make } = await makeProject('Chosen in my work')
    const id = await make('Mine to do', 0, 1, { userId: workspace.mara.id })
    const page = await signIn('mara@example.com', '/my-work')
    const row = page.locator(`.work-row[data-row="${id}"]`)
    await row.getByText('Chosen in my work').waitFor()
    await row.getByText(/^[A-Z]+-1$/).waitFor()
    await row.getByText('8 h').waitFor()
    await assertAccessible(page, 'my work')
    await row.hover()
    await page.keyboard.press('p')
    await page.getByRole('option', { name: 'High' }).click()
    await row.getByText('High').waitFor()
    await row.getByRole('link', { name: 'Mine to do' }).focus()
    await page.keyboard.press('s')
    await page.getByRole('dialog').getByRole('option', { name: 'Doing' }).click()
    await page.getByText('Mine to do is now in Doing.').waitFor()
  })

  test('are changed in the context menu of a card, a row or the selected rows', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('By the right button')
    const id = await make('Right', 0, 1, { userId: workspace.jonas.id })
    const wrongId = await make('Wrong', 0, 1)
    const page = await signIn('mara@example.com', path)
    await page.getByRole('link', { name: 'Right' }).click({ button: 'right' })
    const picker = page.getByRole('dialog')
    await picker.getByRole('option', { name: 'Copy link' }).waitFor()
    await page.locator('.card[data-has-menu]', { hasText: 'Right' }).waitFor()
    assert.equal(await page.locator('[data-has-menu]').count(), 1)
    // There is not enough room for the menu above or below the pointer.
    const { y = 0, height = 0 } = (await picker.boundingBox()) ?? {}
    assert.ok(Math.abs(y + height - (page.viewportSize()?.height ?? 0)) <= 8, `the menu is at ${y}`)
    const sections = await picker
      .getByRole('group')
      .evaluateAll((groups) =>
        groups.map((group) => [...group.querySelectorAll('.palette-name')].map((name) => name.textContent)),
      )
    const [first = [], ...others] = sections
    assert.deepEqual([first[0], first[2]], ['Open', 'Copy link'])
    assert.match(first[1] ?? '', /^Copy [A-Z]+-1$/)
    assert.deepEqual(others, [
      [
        'Stage',
        'Priority',
        'Responsible',
        'Assign to me',
        'Labels',
        'Type',
        'Start',
        'End',
        'Planned hours',
        'Mark as blocked',
      ],
      ['Start a timer'],
      ['Remove'],
    ])
    await assertAccessible(page, 'the menu of the right button')
    const filter = picker.getByPlaceholder('Filter actions…')
    await picker.locator('.palette-field > .icon').waitFor()
    const keysOf = (name: string) =>
      picker
        .getByRole('option')
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator('kbd')
        .allTextContents()
    for (const [name, key] of Object.entries({ Open: 'Enter', Stage: 'S', 'Start a timer': 'T' }))
      assert.deepEqual(await keysOf(name), [key])
    const drawingsIn = async (selector: string) =>
      new Set(
        await page.locator(selector).evaluateAll((paths) => paths.map((path) => path.getAttribute('d'))),
      )
    const screens = await drawingsIn('.navigation a path')
    const shared = [...(await drawingsIn('.palette-mark path'))].filter((path) => screens.has(path))
    assert.equal(shared.length, 1, 'the menu shares only the icon of impediments with the navigation')
    await filter.fill('assign to me')
    await picker.getByRole('option', { name: 'Assign to me' }).click()
    await page.getByText('Mara Lindqvist is now responsible for Right.').waitFor()
    // The kinds of impediments are more than a page.
    const reasons = Array.from({ length: 100 }, (_, index) => ({ name: `Reason ${index}` }))
    await Promise.all(reasons.map((reason) => workspace.make('impediment', reason)))
    await page.getByRole('link', { name: 'Right' }).click({ button: 'right' })
    await picker.getByRole('option', { name: 'Mark as blocked' }).click()
    await picker.getByRole('option', { name: 'Waiting for the customer' }).click()
    await page.getByText('Right is blocked: Waiting for the customer.').waitFor()
    await page.locator('.card', { hasText: 'Right' }).getByText('Blocked since today').waitFor()
    await page.keyboard.press('Control+z')
    await page.locator('.card', { hasText: 'Right' }).getByText('Blocked').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Right' }).click({ button: 'right' })
    await picker.getByRole('option', { name: 'Stage' }).click()
    await picker.getByRole('option', { name: 'Doing' }).click()
    await page.getByText('Right is now in Doing.').waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Doing)
    await page.getByRole('link', { name: 'List', exact: true }).click()
    const entry = { userId: workspace.jonas.id, keepDate: '2026-11-16', amountHours: 2 }
    await workspace.make('appointment', { ...entry, assignmentId: wrongId })
    await page.locator(`[data-row="${wrongId}"] .list-hours`).getByText('2/8 h').waitFor()
    for (const name of ['Right', 'Wrong']) await page.getByLabel(`Select ${name}`).check()
    await page.getByRole('link', { name: 'Wrong' }).click({ button: 'right' })
    await page.locator('.list-row[data-has-menu]').nth(1).waitFor()
    await picker.getByRole('option', { name: 'Priority' }).click()
    await picker.getByRole('option', { name: 'Low' }).click()
    await page.getByText('2 assignments: Low.').waitFor()
    assert.equal(await page.locator('[data-has-menu]').count(), 0)
    // Choosing Low again sends nothing that could be undone, and the message stays as it is.
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'GET' || sent.push(request.url()))
    await page.getByRole('link', { name: 'Wrong' }).click({ button: 'right' })
    await picker.getByRole('option', { name: 'Priority' }).click()
    await picker.getByRole('option', { name: 'Low' }).click()
    await picker.waitFor({ state: 'detached' })
    await page.getByText('2 assignments: Low.').waitFor()
    assert.deepEqual(sent, [])
    await page.getByLabel('Select Right').uncheck()
    await page.getByRole('link', { name: 'Right' }).click({ button: 'right' })
    await picker.getByRole('option', { name: 'Remove' }).click()
    await page.getByText('Right was removed.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByRole('link', { name: 'Right' }).waitFor()
  })
}

/**
 * Returns what a card shows of its hours and its buttons at widths between a narrow and a wide column. Nothing of them
 * is cut, and none covers another.
 */
function footersOf(card: HTMLElement | SVGElement): readonly string[] {
  const shownIn = (line: DOMRect, selector: string) =>
    [...card.querySelectorAll<HTMLElement>(selector)].filter((part) => {
      const { top, height } = part.getBoundingClientRect()
      return height > 0 && Math.abs(top + height / 2 - line.top - line.height / 2) < line.height / 2
    })
  const footers = new Set<string>()
  for (let width = 160; width <= 400; width += 2) {
    card.style.width = `${width}px`
    const [line, tools] = ['.card-facts', '.card-tools'].map((selector) =>
      card.querySelector(selector)?.getBoundingClientRect(),
    )
    if (!line || !tools) continue
    const [figures, buttons] = [
      shownIn(line, '.hours-figures > span'),
      shownIn(line, '.card-tools > .button'),
    ]
    const isCut = figures.some((part) => part.getBoundingClientRect().right > line.right + 1)
    const isCovered = buttons.some((part) => part.getBoundingClientRect().left < line.right)
    const marks = buttons.map((part) => (part.matches('.timer-button') ? '▷' : '→'))
    const hours = figures.map((part) => part.textContent).join('')
    footers.add(
      [hours, ...marks, ...(isCut ? ['cut'] : []), ...(isCovered ? ['covered'] : [])].join(' ').trim(),
    )
  }
  card.removeAttribute('style')
  return [...footers]
}
