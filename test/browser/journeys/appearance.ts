import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import { until } from '../../support/until.ts'
import { type BrowserSetup, resize } from '../support/browser-setup.ts'
import { goWithin } from '../support/every-screen.ts'
import { recordShifts, shiftsOf, sumOf } from '../support/layout-shift.ts'

export function appearanceJourneys(setup: () => BrowserSetup): void {
  for (const { chosen, system } of [
    { chosen: 'dark', system: 'light' },
    { chosen: 'light', system: 'dark' },
  ] as const)
    test(`a page in the ${chosen} theme is never ${system} at first on a ${system} device`, async () => {
      const page = await setup().visit('/icon.svg', { colorScheme: system })
      await page.evaluate(`localStorage.setItem('tracker.theme', '${chosen}')`)
      const held = await holdBack(page, /\.(js|css)$/)
      await page.goto(`${setup().hosts.web}/projects`, { waitUntil: 'commit' })
      // This is the color of the canvas before any style sheet is known.
      await page.locator(`meta[name=color-scheme][content=${chosen}]`).waitFor({ state: 'attached' })
      held.release('.css')
      const isStyled = () =>
        page.evaluate<boolean>(`document.body && getComputedStyle(document.body).marginTop === '0px'`)
      await until(isStyled, 'the style sheet')
      assert.equal((await lightnessOf(page)) < 0.5, chosen === 'dark')
      held.release('.js')
    })

  test('texts change to the font of the client without moving', async () => {
    const { hosts, signIn, workspace } = setup()
    await workspace.assignment('Drawn in another font first')
    const { login } = await workspace.join('Fiona Font')
    const page = await signIn(login, '/account')
    await page.addInitScript(recordShifts)
    const held = await holdBack(page, /\.woff2$/)
    // The page preloads the font, so the load event waits for the font.
    await page.goto(`${hosts.web}/projects/${workspace.projectId}`, { waitUntil: 'commit' })
    await page.getByText('Drawn in another font first').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const before = sumOf(await shiftsOf(page))
    held.release('.woff2')
    await page.evaluate('document.fonts.ready')
    assert.ok(await page.evaluate(`document.fonts.check('500 14px Inter')`))
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    const shifts = await shiftsOf(page)
    assert.ok(sumOf(shifts) - before < shiftMax, JSON.stringify(shifts))
  })

  test('capitals are level with the icons next to them', async () => {
    const { signIn, workspace } = setup()
    const places = [
      '.navigation a[aria-current]',
      '.button.primary',
      '.view-switch a[aria-current]',
      '.filter-button',
    ]
    const distances: Record<string, number> = {}
    for (const [device, shown, options] of [
      ['desktop', places, { viewport: { width: 1440, height: 900 } }],
      ['phone', ['.view-switch a[aria-current]'], { viewport: { width: 390, height: 844 }, hasTouch: true }],
    ] as const) {
      const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`, options)
      for (const place of shown) {
        await page.locator(place).waitFor()
        distances[`${device} ${place}`] = await capitalsBelowIcon(page, place)
      }
    }
    const faults = Object.entries(distances).filter(([, distance]) => !(Math.abs(distance) < 0.5))
    assert.deepEqual(faults, [])
  })

  test('the account page has an index that follows scrolling, and a choice of themes', async () => {
    const { login } = await setup().workspace.join('Ada Appearance')
    const page = await setup().signIn(login, '/account', { colorScheme: 'dark' })
    const index = page.getByRole('navigation', { name: 'On this page' })
    const isCurrent = (name: string) => index.locator('[aria-current=true]', { hasText: name }).waitFor()
    await isCurrent('Profile')
    await index.getByRole('link', { name: 'Personal access tokens' }).click()
    await page.waitForURL((url) => url.searchParams.get('part') === 'tokens')
    await page.getByRole('button', { name: 'New token' }).waitFor()
    await page.reload()
    // Sections that are still loading would move those below them.
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New token' }).waitFor()
    await index.getByRole('link', { name: 'Password' }).click()
    await isCurrent('Password')
    await until(async () => {
      const section = await page.getByRole('region', { name: 'Password' }).boundingBox()
      return section !== null && section.y > 0 && section.y < 200
    }, 'the section of the password at the top')
    await page.getByLabel('Theme', { exact: true }).selectOption('Light')
    await until(async () => (await lightnessOf(page)) > 0.5, 'the light theme')
    const appearance = page.getByRole('region', { name: 'Appearance' })
    await appearance.getByText('Saved', { exact: true }).waitFor({ state: 'attached' })
    await page.getByLabel('Theme', { exact: true }).selectOption('As on the device')
    await until(async () => (await lightnessOf(page)) < 0.5, 'the theme of the device')
    await page.reload()
    await page.getByLabel('Theme', { exact: true }).waitFor()
    assert.ok((await lightnessOf(page)) < 0.5)
    assert.equal(await page.evaluate(`localStorage.getItem('tracker.theme')`), null)
    // The menu offers the other theme, also after the device has changed its own.
    await page.getByRole('button', { name: /^Account of / }).click()
    await page.getByRole('menuitem', { name: 'Use light theme' }).waitFor()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('menuitem', { name: 'Use dark theme' }).waitFor()
    // One line is highlighted: the first one, until the pointer or a key moves on.
    const highlighted = page.locator('[role^=menuitem]:focus')
    assert.equal(await highlighted.textContent(), 'My account')
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).hover()
    assert.equal(await highlighted.locator('kbd').textContent(), '?')
  })

  test('a theme that could not be stored before a reload is stored afterwards', async () => {
    const { signIn, workspace } = setup()
    const { login } = await workspace.join('Aldo Appearance')
    const page = await signIn(login, '/account', { colorScheme: 'dark' })
    await page.route('**/ext/settings', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByLabel('Theme', { exact: true }).selectOption('Light')
    await page.getByText('The server cannot be reached.').waitFor()
    await page.unroute('**/ext/settings')
    await page.reload()
    await page.getByLabel('Theme', { exact: true }).waitFor()
    assert.ok((await lightnessOf(page)) > 0.5)
    const hasUnsaved = `Object.keys(localStorage).some((key) => key.startsWith('tracker.settings.'))`
    await until(async () => !(await page.evaluate(hasUnsaved)), 'the settings of the account')
    const tablet = { colorScheme: 'dark', hasTouch: true } as const
    const otherDevice = await signIn(login, '/account', tablet)
    await otherDevice.getByLabel('Theme', { exact: true }).waitFor()
    await until(async () => (await lightnessOf(otherDevice)) > 0.5, 'the light theme on another device')
  })

  test('a setting that is chosen while another one is being rejected is stored in the account', async () => {
    const { signIn, workspace } = setup()
    const { login } = await workspace.join('Rolf Refused')
    const page = await signIn(login, '/account', { colorScheme: 'dark' })
    const patches: Route[] = []
    await page.route('**/ext/settings', (route) => {
      const isFirst = route.request().method() === 'PATCH' && patches.push(route) === 1
      return isFirst ? undefined : route.continue()
    })
    await page.getByLabel('Theme', { exact: true }).selectOption('Light')
    await until(() => patches.length === 1, 'the first change')
    await page.getByLabel('Density').selectOption('Compact')
    const second = page.waitForResponse(
      (response) =>
        response.url().endsWith('/ext/settings') && response.request().method() === 'PATCH' && response.ok(),
    )
    await patches[0]?.fulfill({
      status: 400,
      headers: { 'access-control-allow-origin': '*' },
      json: { statusCode: 400, message: 'Rejected by a test.' },
    })
    await page.getByText('Rejected by a test.').waitFor()
    assert.partialDeepStrictEqual(await (await second).json(), { settings: { density: 'compact' } })
  })

  test('a setting that is stored before the settings of the account arrive is kept', async () => {
    const { signIn, workspace } = setup()
    const { login } = await workspace.join('Swantje Swift')
    const page = await signIn(login, '/account', { colorScheme: 'dark' })
    const theme = page.getByLabel('Theme', { exact: true })
    const saved = page.getByRole('region', { name: 'Appearance' }).getByText('Saved', { exact: true })
    await theme.selectOption('Dark')
    await saved.waitFor({ state: 'attached' })
    const isStored = Promise.withResolvers<void>()
    await page.route('**/ext/settings', async (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      const response = await route.fetch()
      await isStored.promise
      await route.fulfill({ response })
    })
    const read = page.waitForRequest((request) => request.url().endsWith('/ext/settings'))
    await page.reload()
    await read
    const answered = page.waitForResponse(
      (response) => response.url().endsWith('/ext/settings') && response.request().method() === 'GET',
    )
    await theme.selectOption('Light')
    await saved.waitFor({ state: 'attached' })
    isStored.resolve()
    await (await answered).finished()
    await resize(page, 1280, 800)
    assert.ok((await lightnessOf(page)) > 0.5)
  })

  test('columns keep a readable width on a wide screen, and pages have the same edges', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`, {
      viewport: { width: 2560, height: 1300 },
    })
    const widthOf = async (selector: string) =>
      (await page.locator(selector).first().boundingBox())?.width ?? 0
    await page.locator('.column').nth(2).waitFor()
    assert.ok(Math.abs((await widthOf('.column')) - 416) < 2)
    // Pages of a project have the left edge of its board instead.
    const rightEdges = new Set<number>()
    for (const { path, selector } of [
      { path: '/account', selector: '.index-parts' },
      { path: '/inbox', selector: '.inbox-page' },
      { path: '/projects', selector: '.page > .rows' },
    ]) {
      await goWithin(page, path)
      await page.locator(selector).first().waitFor()
      const { x = 0, width = 0 } = (await page.locator(selector).first().boundingBox()) ?? {}
      rightEdges.add(Math.round(x + width))
    }
    assert.equal(rightEdges.size, 1, [...rightEdges].join())
    const sizeOf = () => page.locator('h1').evaluate((heading) => getComputedStyle(heading).fontSize)
    await goWithin(page, `/projects/${workspace.projectId}`)
    assert.equal(await sizeOf(), '20px')
    const leftEdges = new Set<number | undefined>()
    for (const path of ['/my-work', '/inbox', '/account', '/projects', '/week', '/impediments', '/reports']) {
      await goWithin(page, path)
      leftEdges.add((await page.locator('h1').boundingBox())?.x)
      assert.equal(await sizeOf(), '20px', path)
    }
    assert.equal(leftEdges.size, 1, [...leftEdges].join())
    // A blank is as wide in a button as in a text, and is not rounded to whole pixels.
    const blanks = await page.evaluate(() =>
      ['span', 'button'].map((name) => {
        const element = document.body.appendChild(document.createElement(name))
        element.style.font = '500 13px var(--font)'
        element.textContent = '1 Dec'
        const blank = document.createRange()
        blank.setStart(element.firstChild ?? element, 1)
        blank.setEnd(element.firstChild ?? element, 2)
        return blank.getBoundingClientRect().width
      }),
    )
    assert.ok(blanks[0] === blanks[1] && Number(blanks[0]) % 1 !== 0, blanks.join())
  })

  test('a card has one footer line and a visible name at every width', async () => {
    const { projectId, id } = await makeFullCard(setup())
    const faults: string[] = []
    for (const { widths, topMax, options } of devices) {
      const page = await setup().signIn('root@example.com', `/projects/${projectId}`, options)
      const card = page.locator(`[data-row="${id}"]`)
      await card.hover()
      for (const width of widths) {
        await resize(page, width, 844)
        for (const fault of await card.evaluate(cardFaults, topMax)) faults.push(`${width}: ${fault}`)
      }
    }
    assert.deepEqual(faults, [])
  })
}

const devices = [
  { widths: [360, 390], topMax: 300, options: { viewport: { width: 360, height: 844 }, hasTouch: true } },
  { widths: [1024, 1440], topMax: 844, options: {} },
]

/** Creates an assignment with everything that a card can show, in a project with a long name. */
async function makeFullCard({ hosts, workspace }: BrowserSetup) {
  const { administrator, make, organizationId, impedimentId } = workspace
  const { id: projectId } = await make('project', {
    name: 'A-name-without-any-place-to-break-it-in-two-that-is-longer-than-a-phone-is-wide',
    organizationId,
  })
  await make('userProject', { projectId, userId: administrator.id })
  const name = 'Everything that a card can show at once, with a name of two lines'
  const id = await workspace.assignment(name, { projectId, amountHours: 1234.5 })
  await hosts.database.query(sql`update projects set key = 'FOOTER' where id = ${projectId}`)
  await hosts.database.query(sql`update assignments set priority = 3 where id = ${id}`)
  await make('assignmentImpediment', { assignmentId: id, impedimentId })
  for (const label of [
    'Customer',
    'Accessibility',
    'Waiting for the lawyers',
    'Backend',
    'Regression',
    'Design',
  ]) {
    const { id: labelId } = await make('label', { projectId, name: label, color: 'teal' })
    await make('assignmentLabel', { assignmentId: id, labelId })
  }
  return { projectId, id }
}

/** Runs in the page: compares the boxes within a card. */
function cardFaults(card: Element, topMax: number): string[] {
  const boxesOf = (selector: string) =>
    [...card.querySelectorAll(selector)]
      .filter((element) => element.checkVisibility())
      .map((element) => element.getBoundingClientRect())
  const boxOf = (selector: string) => boxesOf(selector)[0] as DOMRect
  const cardBox = card.getBoundingClientRect()
  const name = boxOf('.card-link')
  const marks = boxOf('.card-marks')
  const footer = boxOf('.card-footer')
  const middle = (footer.top + footer.bottom) / 2
  const parts = boxesOf('.card-footer > *')
  const checks = {
    'the card begins too low': cardBox.top >= topMax,
    'the marks take more than two lines': marks.height > 48,
    'a mark is cut': boxesOf('.card-marks > *').some(
      ({ top, bottom }) => top < marks.bottom && bottom > marks.bottom,
    ),
    'no dots stand for marks without room':
      getComputedStyle(card.querySelector('.card-marks') as Element).webkitLineClamp !== '2',
    'parts overlap': marks.top < name.bottom || footer.top < marks.bottom,
    'the footer has a second line': parts.some(
      ({ top, bottom }) => Math.abs((top + bottom) / 2 - middle) > 2,
    ),
    'facts read as one': boxesOf('.card-facts > *').some(({ left, top }, index, facts) => {
      const previous = facts[index - 1]
      return previous && Math.abs(top - previous.top) < 12 && left - previous.right < 9
    }),
    'a part of the footer is outside the card': parts.some(({ right }) => right > cardBox.right),
    'a button covers the name': boxesOf('button').some(({ top }) => top < name.bottom - 1),
  }
  return Object.entries(checks).flatMap(([fault, isFound]) => (isFound ? [fault] : []))
}

/** Returns how far, in pixels, the middle of a capital in place of the text is below the middle of the icon. */
async function capitalsBelowIcon(page: Page, place: string): Promise<number> {
  const { iconMiddle, ...clip } = await page.locator(place).evaluate((element) => {
    const text = [...element.childNodes, ...(element.querySelector('span')?.childNodes ?? [])].find(
      ({ nodeName, textContent }) => nodeName === '#text' && textContent?.trim(),
    ) as Text
    text.textContent = 'H'
    const range = document.createRange()
    range.selectNode(text)
    const { left, right, top, bottom } = range.getBoundingClientRect()
    const icon = (element.querySelector('svg') as Element).getBoundingClientRect()
    const x = Math.floor(left)
    const y = Math.floor(top)
    const iconMiddle = (icon.top + icon.bottom) / 2
    return { x, y, width: Math.ceil(right) - x, height: Math.ceil(bottom) - y, iconMiddle }
  })
  const picture = (await page.screenshot({ clip })).toString('base64')
  const inkMiddle = await page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    if (!context) return Number.NaN
    context.drawImage(bitmap, 0, 0)
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    const inkOf = (row: number) => {
      const greens = Array.from(
        { length: bitmap.width },
        (_, x) => data[(row * bitmap.width + x) * 4 + 1] ?? 0,
      )
      return Math.max(...greens) - Math.min(...greens)
    }
    const inks = Array.from({ length: bitmap.height }, (_, row) => inkOf(row))
    const sum = inks.reduce((total, ink) => total + ink, 0)
    return inks.reduce((total, ink, row) => total + ink * (row + 0.5), 0) / sum
  }, picture)
  return clip.y + inkMiddle - iconMiddle
}

/** A fifth of the sum that browsers rate as good for a whole visit. */
const shiftMax = 0.02

/** Holds back requests for these files. `release` continues the requests with this suffix. */
async function holdBack(page: Page, files: RegExp) {
  const held: Route[] = []
  let suffixes: readonly string[] = []
  const isReleased = (route: Route) => suffixes.some((suffix) => route.request().url().endsWith(suffix))
  await page.route(files, (route) => {
    if (isReleased(route)) void route.continue()
    else held.push(route)
  })
  return {
    release(suffix: string) {
      suffixes = [...suffixes, suffix]
      for (const route of held.splice(0)) {
        if (isReleased(route)) void route.continue()
        else held.push(route)
      }
    },
  }
}

/** Returns the lightness of the background, measured by its green part, from 0 to 1. */
const lightnessOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const context = document.createElement('canvas').getContext('2d')
    context.fillStyle = getComputedStyle(document.documentElement).backgroundColor
    context.fillRect(0, 0, 1, 1)
    return context.getImageData(0, 0, 1, 1).data[1] / 255
  })()`)
