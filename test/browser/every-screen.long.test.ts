import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { addDays, mondayOf, today } from '../../web/src/time/days.ts'
import { assertAccessible, smallControls, testColorSchemes } from './journeys/accessibility.ts'
import { widthJourneys } from './journeys/widths.ts'
import type { BrowserSetup } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'
import { everyScreen, goWithin, type LoadedScreen, type ScreenAddress } from './support/every-screen.ts'
import { recordShifts, shiftsOf, sumOf } from './support/layout-shift.ts'

interface OpenScreen extends ScreenAddress {
  /** Opens a dialog, or shows an error. */
  readonly open?: (page: Page) => Promise<void>
}

const withDialogs: readonly OpenScreen[] = [
  { path: '/week?week=2026-11-16', shows: 'Looked at by axe', open: enterInvalidHours },
  { path: '/week?week=2026-11-16', shows: 'Looked at by axe', open: press('Copy last week…') },
  {
    path: '/week?week=2026-11-16',
    shows: 'Looked at by axe',
    open: press('Entries and notes: Looked at by axe'),
  },
  { path: '/impediments?whose=all', shows: 'Looked at by axe', open: press('New impediment') },
  { path: '/reports', shows: 'Hours per project', open: press('Show as table') },
  { path: '/administration/users', shows: 'mara@example.com', open: press('New user') },
  { path: '/clients', shows: 'The wiki', open: press('New app') },
]

function press(name: string) {
  return (page: Page) => page.getByRole('button', { name }).first().click()
}

async function enterInvalidHours(page: Page): Promise<void> {
  await page
    .getByRole('textbox', { name: /^Looked at by axe, Mon/ })
    .first()
    .fill('x')
  await page.keyboard.press('Tab')
  await page.getByRole('alert').waitFor()
}

function dialogJourneys(setup: () => BrowserSetup): void {
  const seedScreens = async (): Promise<readonly OpenScreen[]> => {
    const { hosts, workspace } = setup()
    const { administrator, assignment, change, impedimentId, make } = workspace
    const id = await assignment('Looked at by axe', { userId: administrator.id })
    await make('appointment', {
      assignmentId: id,
      userId: administrator.id,
      keepDate: '2026-11-17',
      amountHours: 3,
      description: 'Noted',
    })
    await make('appointment', {
      assignmentId: id,
      userId: administrator.id,
      keepDate: '2026-11-10',
      amountHours: 3,
    })
    await make('assignmentImpediment', { assignmentId: id, impedimentId })
    await change('DELETE', 'assignment', { ids: [await assignment('Removed for axe')] })
    return [...(await everyScreen(hosts, workspace, { id, name: 'Looked at by axe' })), ...withDialogs]
  }

  testColorSchemes('have no accessibility problem', async (check) => {
    const screens = await seedScreens()
    const page = await setup().signIn('root@example.com', '/account')
    for (const { path, shows, open } of screens) {
      await goWithin(page, path)
      await page.getByText(shows).first().waitFor({ state: 'attached' })
      await open?.(page)
      await check(page, `${path} ${open ? 'with a dialog' : ''}`)
    }
  })

  test('fit the narrowest phone, with controls that are large enough for fingers', async () => {
    const screens = await seedScreens()
    const page = await setup().signIn('root@example.com', '/account', {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    })
    for (const { path, shows, open } of screens) {
      await goWithin(page, path)
      await page.getByText(shows).first().waitFor({ state: 'attached' })
      if (open !== enterInvalidHours) await open?.(page)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path)
      const controls = 'button, input:not([type=checkbox]):not([aria-hidden]), select, .navigation a, .tabs a'
      assert.deepEqual(await smallControls(page, controls), [], path)
    }
  })
}

const shiftMax = 0.05

/**
 * Records visible skeletons and announcements. It runs before all scripts of a page. Announcements are
 * observed, because a screen may replace the skeleton within milliseconds.
 */
const recordSkeletons = `
  globalThis.seen = { shapes: [], announcements: 0 }
  const announced = new WeakSet()
  setInterval(() => {
    for (const skeleton of document.querySelectorAll('.skeleton')) {
      const shape = skeleton.className.match(/skeleton-(\\w+)/)[1]
      if (skeleton.checkVisibility({ opacityProperty: true }) && !seen.shapes.includes(shape)) seen.shapes.push(shape)
    }
  }, 20)
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const status = (target instanceof Element ? target : target.parentElement)?.closest('[role=status]')
      if (status?.textContent === 'Loading' && !announced.has(status)) { announced.add(status); seen.announcements += 1 }
    }
  }).observe(document, { childList: true, characterData: true, subtree: true })`

const seenOn = (page: Page) =>
  page.evaluate<{ readonly shapes: readonly string[]; readonly announcements: number }>('seen')

async function untilSeen(page: Page): Promise<void> {
  for (let looks = 0; looks < 1000; looks += 1) {
    const { shapes, announcements } = await seenOn(page)
    if (shapes.length > 0 && announcements > 0) return
    await page.waitForTimeout(20)
  }
}

function skeletonJourneys(setup: () => BrowserSetup): void {
  const faultsOf = async (
    page: Page,
    held: HeldResponses,
    { path, shows, shape, shapeOnPhones = shape }: LoadedScreen,
  ): Promise<readonly string[]> => {
    const isPhone = (page.viewportSize()?.width ?? 0) < 760
    const expectedShape = isPhone ? shapeOnPhones : shape
    held.hold()
    await page.goto(setup().hosts.web + path)
    // Responses wait for the skeletons, even on a slow machine. If none appears, the test reports that below.
    await untilSeen(page)
    held.release()
    await page.getByText(shows).first().waitFor({ state: 'attached' })
    await held.untilQuiet()
    const shifts = await shiftsOf(page)
    const { shapes, announcements } = await seenOn(page)
    const faults: string[] = []
    if (!shapes.includes(expectedShape)) faults.push(`shows ${shapes.join()} instead of ${expectedShape}`)
    if (announcements !== 1) faults.push(`announces loading ${announcements} times`)
    if ((await page.locator('.skeleton').count()) > 0) faults.push('keeps a skeleton')
    if (sumOf(shifts) >= shiftMax) faults.push(`moves: ${JSON.stringify(shifts)}`)
    return faults
  }

  for (const width of [390, 1440])
    test(`have the shape of their screen at ${width} pixels`, async () => {
      const { hosts, signIn, workspace } = setup()
      const name = `Loaded slowly at ${width}`
      // Uses a separate project, because rows that other tests add would move the rows of its list.
      const { organizationId, mara } = workspace
      const { id: projectId } = await workspace.make('project', { name: `Slow at ${width}`, organizationId })
      await workspace.make('userProject', { projectId, userId: mara.id })
      const id = await workspace.assignment(name, { projectId })
      await workspace.make('userAssignment', { assignmentId: id, userId: workspace.administrator.id })
      const page = await signIn('root@example.com', '/account')
      await page.setViewportSize({ width, height: 900 })
      for (const script of [recordShifts, recordSkeletons]) await page.addInitScript(script)
      const held = await holdResponses(page, [hosts.api, `${hosts.issuer}/ext`])
      const faults: string[] = []
      const addresses = await everyScreen(hosts, { ...workspace, projectId }, { id, name })
      for (const address of addresses.filter(({ shapeOnPhones }) => width >= 760 || shapeOnPhones))
        for (const fault of await faultsOf(page, held, address)) faults.push(`${address.path} ${fault}`)
      assert.deepEqual(faults, [])
    })

  test('are read as one word by screen readers, while all data is requested at once', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Never loaded')
    const page = await signIn('root@example.com', '/account')
    const requested = new Set<string>()
    await page.route(
      (url) => url.href.startsWith(`${hosts.api}/`),
      (route) => void requested.add(new URL(route.request().url()).pathname.split('/').at(-1) ?? ''),
    )
    await page.goto(`${hosts.web}/projects/${workspace.projectId}/assignments/${id}`)
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor()
    assert.equal(await page.locator('.skeleton').count(), 2)
    // The data of cards, fields and lists does not wait for the name of the project or the assignment.
    const needed = [
      'projects',
      'workflows',
      'assignmentTypes',
      'assignmentImpediments',
      'assignments',
      'comments',
    ]
    assert.deepEqual(
      needed.filter((name) => !requested.has(name)),
      [],
    )
    await assertAccessible(page, 'an assignment while it is loaded')
    // The browser of the tests asks for reduced motion.
    const [duration] = await page
      .locator('.skeleton')
      .evaluateAll((all) => all.map((skeleton) => getComputedStyle(skeleton).animationDuration))
    assert.equal(duration, '0s')
  })
}

/** Holds responses back until the test releases them. */
interface HeldResponses {
  /** Makes requests wait for `release`. */
  hold(): void
  /** Lets requests continue, each as soon as the page has shown its skeletons and painted five frames. */
  release(): void
  /** Resolves when every response was painted and the page sends no more requests. */
  untilQuiet(): Promise<void>
}

/** More than one frame, because a response may cause another request, or render another part of the page. */
const quietFrames = 10
/** Ends the waits, even if a page never becomes quiet. */
const framesMax = 1000

async function holdResponses(page: Page, addresses: readonly string[]): Promise<HeldResponses> {
  const isHeld = (url: string) => addresses.some((address) => url.startsWith(`${address}/`))
  const pending = new Set<Request>()
  let requestCount = 0
  let release = Promise.withResolvers<void>()
  page.on('request', (request) => {
    if (!isHeld(request.url())) return
    requestCount += 1
    pending.add(request)
  })
  // A stream ends with its page, so its headers count as its response.
  page.on('response', (response) => void pending.delete(response.request()))
  page.on('requestfailed', (request) => void pending.delete(request))
  await page.route(
    ({ href }) => isHeld(href),
    async (route) => {
      await release.promise
      await untilSkeletonsAppear(page)
      await untilPainted(page, 5)
      await route.continue()
    },
  )
  return {
    hold() {
      release = Promise.withResolvers<void>()
      pending.clear()
    },
    release: () => release.resolve(),
    async untilQuiet() {
      let quiet = 0
      let previousCount = requestCount
      for (let frames = 0; frames < framesMax && quiet < quietFrames; frames += 1) {
        await untilPainted(page, 1)
        quiet = pending.size === 0 && requestCount === previousCount ? quiet + 1 : 0
        previousCount = requestCount
      }
    },
  }
}

/** Skeletons appear only if loading takes a while. */
async function untilSkeletonsAppear(page: Page): Promise<void> {
  const areSomeHidden = () =>
    page
      .evaluate(() =>
        [...document.querySelectorAll('.skeleton')].some(
          (skeleton) => !skeleton.checkVisibility({ opacityProperty: true }),
        ),
      )
      .catch(() => false)
  for (let frames = 0; frames < framesMax && (await areSomeHidden()); frames += 1) await untilPainted(page, 1)
}

/** Ignores errors, because a page that the test has left no longer paints. */
const untilPainted = (page: Page, frames: number): Promise<unknown> =>
  page
    .evaluate(
      (count) =>
        new Promise<void>((resolve) => {
          const next = (left: number) =>
            left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1))
          next(count)
        }),
      frames,
    )
    .catch(() => undefined)

const monday = mondayOf(today())
/** Names that begin and end with digits, whose direction follows the adjacent text. */
const names = {
  person: 'ليلى حداد 7',
  project: 'רציף 12',
  assignment: '3 לצבוע את הקיר',
  type: 'بناء 1',
  impediment: 'ממתינים 4',
  stage: 'בתור 6',
  note: 'דיברנו 5',
}

function rightToLeftJourneys(setup: () => BrowserSetup): void {
  const seed = async () => {
    const { make, join, organizationId, impedimentId, mara, assignment, change } = setup().workspace
    const login = 'layla@example.com'
    const { id: userId } = await join('Layla')
    await change('PATCH', 'user', { id: userId, name: names.person, login })
    const { id: projectId } = await make('project', { name: names.project, organizationId })
    for (const id of [userId, mara.id]) await make('userProject', { projectId, userId: id })
    const { id: typeId } = await make('assignmentType', { name: names.type })
    const { id: kindId } = await make('impediment', { name: names.impediment })
    const values = {
      projectId,
      userId,
      assignmentTypeId: typeId,
      startDate: monday,
      endDate: addDays(monday, 2),
    }
    const assignmentId = await assignment(names.assignment, values)
    const appointment = { assignmentId, userId, description: names.note }
    await make('appointment', { ...appointment, keepDate: monday, amountHours: 2.5 })
    await make('appointment', { ...appointment, keepDate: addDays(monday, -7), amountHours: 1.5 })
    await make('assignmentImpediment', { assignmentId, impedimentId: kindId, description: names.note })
    await make('assignmentImpediment', { assignmentId, impedimentId })
    await make('userAssignment', { assignmentId, userId: mara.id })
    const removed = await assignment('5 הוסר', { ...values, description: names.note })
    await change('DELETE', 'assignment', { ids: [removed] })
    const entry = await make('appointment', { assignmentId, userId, keepDate: monday, amountHours: 1 })
    await change('DELETE', 'appointment', { ids: [entry.id] })
    return { login, projectId, assignmentId }
  }

  test('do not reorder dates, hours and words around them on any screen', async () => {
    const { login, projectId, assignmentId } = await seed()
    const page = await setup().signIn(login, '/my-work')
    const faults: string[] = []
    const check = async (where: string) => {
      for (const fault of await readingFaultsOf(page, [...Object.values(names), '5 הוסר']))
        faults.push(`${where}: ${fault}`)
    }
    const project = `/projects/${projectId}`
    const screens: readonly ScreenAddress[] = [
      { path: '/my-work', shows: names.assignment },
      { path: '/projects', shows: names.project },
      { path: project, shows: names.assignment },
      { path: `${project}?view=list&group=person`, shows: names.assignment },
      { path: `${project}?view=calendar`, shows: names.assignment },
      { path: `${project}?view=timeline`, shows: names.assignment },
      { path: `${project}/assignments/${assignmentId}`, shows: names.note },
      { path: `${project}/activity`, shows: names.assignment },
      { path: `${project}/report`, shows: names.assignment },
      { path: '/week', shows: names.assignment },
      { path: '/impediments', shows: names.impediment },
      { path: '/reports', shows: names.project },
      { path: '/reports/sums?period=year&by=project&second=week', shows: names.project },
      { path: '/removed/all', shows: '5 הוסר' },
      { path: '/account', shows: 'New password' },
    ]
    for (const { path, shows } of screens) {
      await goWithin(page, path)
      await page.locator('main').getByText(shows).locator('visible=true').first().waitFor()
      await check(path)
    }
    await checkDialogs(page, project, check)
    assert.deepEqual(faults, [])
  })
}

type Check = (where: string) => Promise<void>

/** Checks dialogs and messages. */
async function checkDialogs(page: Page, project: string, check: Check): Promise<void> {
  await goWithin(page, project)
  await page.getByRole('button', { name: 'Members…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText('Until').waitFor()
  await check('members')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await goWithin(page, `${project}?view=timeline`)
  await page.locator('.timeline .bar').first().focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.locator('.toast').waitFor()
  await check('a moved bar')
  await goWithin(page, '/week')
  await page.getByRole('button', { name: 'Copy last week…' }).click()
  await page.locator('.copy-rows').getByText(names.assignment).waitFor()
  await check('a copied week')
}

/**
 * Finds text in the wrong order: dates, hours and words that a right-to-left name reorders, and right-to-left
 * names that are reordered themselves.
 */
const readingFaultsOf = (page: Page, names: readonly string[]) =>
  page.evaluate<string[]>(`(() => {
    const names = ${JSON.stringify(names)}
    const faults = new Set()
    const rightToLeft = /[\\u0590-\\u08ff]/
    const amounts = /\\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)( \\d{4})?(, \\d\\d:\\d\\d)?|\\d[\\d.]* h\\b|\\b\\d+ days?\\b/g
    const rectOf = (node, from, to) => {
      const range = document.createRange()
      range.setStart(node, from)
      range.setEnd(node, to)
      return range.getClientRects()[0]
    }
    const isAfter = (before, next) => !before || !next || Math.abs(before.top - next.top) > 4 || next.left > before.left - 1
    /** Returns whether the element has its own direction, as a box or as an isolated part of a line. */
    const isIsolated = (element) => {
      const { display, unicodeBidi } = getComputedStyle(element)
      return display !== 'inline' || unicodeBidi.startsWith('isolate')
    }
    const isolationOf = (element) => (isIsolated(element) ? element : isolationOf(element.parentElement))
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const rectsByLine = new Map()
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.data
      if (text.trim() === '' || !element.checkVisibility() || element.closest('.visually-hidden, select, textarea')) continue
      const isolation = isolationOf(element)
      const partsOf = (phrase, from) =>
        [...phrase.matchAll(/[^\\s,]+/g)].map((part) => rectOf(node, from + part.index, from + part.index + part[0].length))
      for (const found of text.matchAll(amounts)) {
        const parts = partsOf(found[0], found.index)
        if (parts.some((part, index) => !isAfter(parts[index - 1], part))) faults.add('reversed: ' + text)
      }
      for (const name of names.filter((one) => text.includes(one))) {
        const parts = partsOf(name, text.indexOf(name)).toReversed()
        if (parts.some((part, index) => !isAfter(parts[index - 1], part))) faults.add('a name with parts out of order: ' + text)
      }
      const isRightToLeft = getComputedStyle(isolation).direction === 'rtl'
      const rects = []
      let start = 0
      for (const piece of text.split(' · ')) {
        if (isRightToLeft && !rightToLeft.test(piece) && /[a-z]{2}/i.test(piece))
          faults.add('words of the page in the direction of a name: ' + text)
        if (piece.trim() !== '') rects.push(rectOf(node, start, start + piece.length))
        start += piece.length + 3
      }
      const leftToRight = isRightToLeft ? rects.toReversed() : rects
      if (leftToRight.some((rect, index) => !isAfter(leftToRight[index - 1], rect))) faults.add('not in the order written: ' + text)
      const line = isolation.localName === 'bdi' || isolation.dir === 'auto' ? isolationOf(isolation.parentElement) : isolation
      if (getComputedStyle(line).direction === 'rtl') continue
      const earlier = rectsByLine.get(line) ?? []
      rectsByLine.set(line, earlier)
      if (earlier.length > 0 && !isAfter(earlier.at(-1), rects[0])) faults.add('left of the text that it follows: ' + text + ', in ' + line.textContent)
      earlier.push(...rects)
    }
    return [...faults]
  })()`)

describeInBrowser('In the whole client', {
  'all screens and their dialogs': dialogJourneys,
  'all screens': widthJourneys('English'),
  'skeletons of loading content': skeletonJourneys,
  'names that are written from right to left': rightToLeftJourneys,
})
