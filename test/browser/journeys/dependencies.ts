import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { bar, datedProjects, monday } from '../support/dated-projects.ts'
import { goWithin } from '../support/every-screen.ts'
import { assertAccessible } from './accessibility.ts'

export function dependencyJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('can be added and removed by keyboard', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('In order')
    const copy = await make('Write copy', 0, 2)
    const review = await make('Review copy', 1, 3)
    await make('Publish', 4, 4)
    const [mara, jonas] = await Promise.all([
      signIn('mara@example.com', `${path}/assignments/${review}`),
      signIn('jonas@example.com', path),
    ])
    const card = jonas.locator(`[data-row="${review}"]`)
    const choose = async (field: string, text: string) => {
      const input = mara.getByRole('combobox', { name: field, exact: true })
      await input.fill(text)
      await mara.getByRole('listbox', { name: field }).getByRole('option', { name: text }).waitFor()
      await input.press('Enter')
    }
    // The activity has links with the same names.
    const relations = mara.locator('.panel-group').first()
    const panelLink = (name: string) => relations.getByRole('link', { name, exact: true })
    const addRelation = async (relation: string) => {
      await mara.getByRole('button', { name: 'Relation' }).click()
      await mara.getByRole('menuitem', { name: relation }).click()
      // The field for the chosen kind has the focus at once.
      await mara.locator('.panel-adder [role=combobox]:focus').waitFor()
    }
    await addRelation('Waits for…')
    await choose('Add an assignment to wait for', 'Write copy')
    await panelLink('Write copy').waitFor()
    await mara.getByText(/^Ends on .+, after this one starts$/).waitFor()
    await card.getByText('Waits for Write copy').waitFor()
    await addRelation('Needed by…')
    await choose('Add an assignment that waits for this one', 'Publish')
    await panelLink('Publish').waitFor()
    await assertAccessible(mara, 'dependencies of an assignment')

    await panelLink('Write copy').click()
    await mara.getByRole('complementary', { name: 'Write copy' }).waitFor()
    await panelLink('Review copy').waitFor()
    await addRelation('Waits for…')
    await choose('Add an assignment to wait for', 'Publish')
    await mara.getByText('Publish already waits for the assignment, directly or through others.').waitFor()
    await mara.getByRole('button', { name: 'Remove the dependency on Review copy' }).press('Enter')
    await card.getByText('Waits for').waitFor({ state: 'detached' })
    await mara.getByRole('button', { name: 'Undo' }).click()
    await card.getByText('Waits for Write copy').waitFor()

    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', copy)),
      workflowId: workspace.stages.Done,
    })
    await card.getByText('Waits for').waitFor({ state: 'detached' })
  })

  test('can be added by Enter from the results for the typed text', async () => {
    const { signIn } = setup()
    const { path, make } = await makeProject('With a resting pointer')
    const names = ['Alpha first', 'Beta second', 'Gamma third', 'Delta fourth']
    const ids: string[] = []
    for (const name of names) ids.push(await make(name, 0, 1))
    const page = await signIn('mara@example.com', `${path}/assignments/${ids[3]}`)
    await page.getByRole('button', { name: 'Relation' }).click()
    await page.getByRole('menuitem', { name: 'Waits for…' }).click()
    const field = page.getByRole('combobox', { name: 'Add an assignment to wait for' })
    const options = page.getByRole('listbox', { name: 'Add an assignment to wait for' }).getByRole('option')
    await options.nth(2).waitFor()
    const enterWasPressed = Promise.withResolvers<void>()
    await page.route(/assignments\?.*search=Alpha/, async (route) => {
      await enterWasPressed.promise
      await route.continue()
    })
    await field.fill('Alpha')
    // The list still shows the previous results.
    await options.nth(2).hover()
    await field.press('Enter')
    enterWasPressed.resolve()
    // The change is also listed in the activity.
    const added = page.locator('.panel').getByRole('link', { name: 'Alpha first', exact: true })
    await added.first().waitFor()
  })

  test('are arrows on the timeline', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('With arrows')
    const first = await make('Lay bricks', 0, 1)
    const second = await make('Paint walls', 0, 0, { userId: workspace.jonas.id })
    await workspace.make('assignmentDependency', { assignmentId: second, blockedById: first })
    const early = await make('Buy paint', -3, 0, { userId: workspace.jonas.id })
    await workspace.make('assignmentDependency', { assignmentId: early, blockedById: first })
    const page = await signIn('mara@example.com', `${path}?view=timeline`)
    const waits = (id: string) => page.locator(`#card-${id} .waits`)
    const arrows = (kind = '') => page.locator(`.dependency-arrows g${kind}`)
    await arrows('.too-early').waitFor({ state: 'attached' })
    await page.getByRole('link', { name: /^Paint walls [\s\S]*Starts before Lay bricks ends/ }).waitFor()
    // If an assignment starts before the period, there is no arrow to its start. An icon says that it waits.
    await waits(early).waitFor()
    assert.deepEqual([await arrows().count(), await waits(second).count()], [1, 0])
    // An arrow is thicker while the pointer or the focus is on a bar at one of its ends.
    await bar(page, 'Buy paint').hover()
    assert.equal(await arrows('.active').count(), 0)
    await bar(page, 'Lay bricks').hover()
    await arrows('.active').waitFor({ state: 'attached' })
    await bar(page, 'Buy paint').hover()
    await arrows('.active').waitFor({ state: 'detached' })
    await bar(page, 'Paint walls').focus()
    await arrows('.active').waitFor({ state: 'attached' })
    // The arrow leads from the end of one bar to the start of the other, in the lane above. It runs
    // in the middle between rows, where there are no names.
    await assertArrowAtStart(page, 'Paint walls')
    const from = await bar(page, 'Lay bricks').boundingBox()
    const run = await longestRunOf(page)
    assert.ok(from)
    assert.ok(Math.abs(from.y - 4 - run.y) < 1, JSON.stringify({ from, run }))
    const beyond = run.right - from.x - from.width
    assert.ok(beyond > 2 && beyond < 5, JSON.stringify({ from, run }))
    await assertAccessible(page, 'arrows of a timeline')
    // Without the pointer, it looks as in the legend.
    await page.getByRole('button', { name: 'Legend' }).click()
    const [shown, explained] = await page.locator('.too-early > .arrow-line').evaluateAll((lines) =>
      lines.map((line) => {
        const { stroke, strokeOpacity, strokeWidth } = getComputedStyle(line)
        return [stroke, strokeOpacity, strokeWidth].join()
      }),
    )
    assert.ok(shown)
    assert.equal(shown, explained)
    await page.keyboard.press('Escape')
    await bar(page, 'Paint walls').press('Shift+ArrowRight')
    await page.getByRole('link', { name: /^Paint walls [\s\S]*Waits for Lay bricks/ }).waitFor()
    await arrows(':not(.too-early)').waitFor({ state: 'attached' })
    assert.equal(await arrows().count(), 1)
    await page.setViewportSize({ width: 390, height: 800 })
    await page.locator('.dependency-arrows').waitFor({ state: 'detached' })
    await goWithin(page, `${path}?view=timeline&from=${monday}`)
    await waits(second).waitFor()
  })

  test('have an arrow on the timeline even if one of the bars is far below the visible ones', async () => {
    const { signIn, workspace } = setup()
    const { path, make } = await makeProject('Far arrows')
    const first = await make('Dig a hole', 0, 1, { userId: workspace.jonas.id })
    for (let number = 1; number <= 50; number += 1)
      await make(`In between ${number}`, 0, { 1: 2, 2: 0 }[number] ?? 1, { userId: workspace.jonas.id })
    const second = await make('Fill it', 3, 4)
    await workspace.make('assignmentDependency', { assignmentId: second, blockedById: first })
    for (const width of [1280, 700]) {
      const page = await signIn('mara@example.com', `${path}?view=timeline`, {
        viewport: { width, height: 500 },
      })
      await page.locator('.dependency-arrows g').waitFor({ state: 'attached' })
      assert.equal(await bar(page, 'Fill it').count(), 0)
      // It passes most bars between their end and their name, and is behind the others and their names.
      const most = await bar(page, 'In between 3').boundingBox()
      const crossing = await crossingOf(page)
      assert.ok(most && Math.abs(most.x + most.width + 3 - crossing) < 1, JSON.stringify({ most, crossing }))
      await assertHiddenBehind(page, bar(page, 'In between 1'))
      await assertHiddenBehind(page, bar(page, 'In between 2').locator('.bar-name'))
      await page.locator('.timeline').evaluate((timeline) => timeline.scrollTo(0, timeline.scrollHeight))
      await assertArrowAtStart(page, 'Fill it')
    }
  })
}

/** Returns the height of the longest horizontal part of the only arrow, and its end. */
const longestRunOf = (page: Page) =>
  page.locator('.arrow-line').evaluate((path: SVGPathElement) => {
    const { y } = path.ownerSVGElement?.getBoundingClientRect() ?? new DOMRect()
    const lengths = Array.from({ length: Math.floor(path.getTotalLength()) }, (_, length) => length)
    const points = lengths.map((length) => path.getPointAtLength(length))
    const rows = [...Map.groupBy(points, (point) => Math.round(point.y)).values()]
    const longest = rows.sort((a, b) => b.length - a.length)[0] ?? []
    return { y: y + (longest[0]?.y ?? 0), right: path.getBoundingClientRect().right }
  })

/** Returns the place of the vertical part of the only arrow that crosses rows. */
const crossingOf = (page: Page) =>
  page.locator('.arrow-line').evaluate((path: SVGPathElement) => {
    const { x = 0 } = path.ownerSVGElement?.getBoundingClientRect() ?? {}
    return x + path.getPointAtLength(path.getTotalLength() / 2).x
  })

/** Asserts that the text looks the same with and without the arrows that cross it. */
async function assertHiddenBehind(page: Page, text: Locator): Promise<void> {
  await text.scrollIntoViewIfNeeded()
  const box = await text.boundingBox()
  assert.ok(box)
  // The pixels at the edges belong to the text in part only.
  const clip = { x: box.x + 1, y: box.y + 1, width: box.width - 2, height: box.height - 2 }
  const pictures: Buffer[] = []
  for (const visibility of ['visible', 'hidden', '']) {
    await page.locator('.dependency-arrows').evaluate((arrows, value) => {
      if (arrows instanceof SVGElement) arrows.style.visibility = value
    }, visibility)
    pictures.push(await page.screenshot({ clip }))
  }
  assert.ok(pictures.every((picture) => picture.equals(pictures[0] ?? picture)))
}

/** Asserts that the only arrow ends at the start of the bar. */
async function assertArrowAtStart(page: Page, name: string): Promise<void> {
  const target = await bar(page, name).boundingBox()
  const head = await page.locator('.arrow-head').boundingBox()
  assert.ok(target && head)
  const distanceX = head.x + head.width - target.x
  const distanceY = head.y + head.height / 2 - (target.y + target.height / 2)
  assert.ok(Math.hypot(distanceX, distanceY) < 4, JSON.stringify({ target, head }))
}
