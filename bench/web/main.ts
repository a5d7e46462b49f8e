import { loadavg } from 'node:os'
import type { BrowserContext, Page } from 'playwright-core'
import { type BrowserSetup, setUpBrowser } from '../../test/browser/support/browser-setup.ts'
import { everyScreen } from '../../test/browser/support/every-screen.ts'
import { recordShifts, type Shift, shiftsOf, sumOf } from '../../test/browser/support/layout-shift.ts'
import { slowNetwork } from '../../test/browser/support/slow-network.ts'
import { percentile } from '../load.ts'
import { framesDuring, millisecondsToPaint, recordMeasures, settle, slowDown, workOf } from './in-page.ts'
import { interactions, pathOf } from './interactions.ts'
import { makeScene, type Scene } from './scene.ts'

/** The limits of the client, in bytes and milliseconds. A layout shift has no unit. */
const limits = {
  scriptBytes: 90_000,
  firstRows: 1000,
  frame: 33,
  scrollFrame: 20,
  interaction: 200,
  shift: 0.05,
}

/**
 * The factor by which the CPU is slowed down unless `full-speed` is passed. Two versions are easier to compare on
 * a slow processor; the limits of loads, scrolling and drags apply at full speed.
 */
const slowdown = 4
const rounds = 5
/** The duration of a drag or scroll: about 360 frames, so that several of them exceed a percentile. */
const gestureMilliseconds = 6000
/** One notch of a wheel. */
const notchPixels = 120
/** Without a screen, a frame takes 16.7 ms, or 33.3 if one was missed, but nothing in between. */
const lateMilliseconds = 25

/**
 * Compares the web client in a real browser with its limits, on a processor that is slowed down four times, and
 * with separate hosts. `npm run bench -- web` measures all, `npm run bench -- web shifts` one part, and
 * `npm run bench -- web full-speed scroll` one part without slowing down.
 */
export async function runWebBench(args: readonly string[]): Promise<void> {
  const setup = await setUpBrowser()
  try {
    const scene = await makeScene(setup)
    const factor = args.includes('full-speed') ? 1 : slowdown
    const chosenParts = args.filter((arg) => arg !== 'full-speed')
    const parts: Readonly<Record<string, () => Promise<void>>> = {
      load: () => measureLoad(setup, scene, factor),
      scroll: () => measureScrolling(setup, scene, factor),
      drag: () => measureDrags(setup, scene, factor),
      interactions: () => measureInteractions(setup, scene, factor),
      shifts: () => reportShifts(setup, scene),
    }
    for (const [name, run] of Object.entries(parts))
      if (chosenParts.length === 0 || chosenParts.includes(name)) await run()
    console.log(`Load of the machine ${loadavg()[0]?.toFixed(1)}.`)
  } finally {
    await setup.stop()
  }
}

/** The browser contexts of tests have motion turned off. */
const withMotion = { reducedMotion: 'no-preference' } as const

async function openPage(setup: BrowserSetup, { login }: Scene, path: string): Promise<Page> {
  // The session belongs to the browser context, so a new page has it and is recorded from its beginning.
  const context = (await setup.signIn(login, '/account', withMotion)).context()
  const page = await context.newPage()
  await page.addInitScript(recordMeasures)
  await page.goto(setup.hosts.web + path)
  return page
}

async function measureLoad(setup: BrowserSetup, scene: Scene, factor: number): Promise<void> {
  const page = await openPage(setup, scene, '/projects')
  await slowDown(page, factor)
  const rows = []
  for (const view of ['board', 'list', 'calendar', 'timeline']) {
    const found: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      await page.goto(`${setup.hosts.web}/projects/${scene.largeId}?view=${view}`)
      await page.locator('.card, .list-row, .bar').first().waitFor()
      await settle(page)
      found.push(await page.evaluate<number>('measured.firstRow'))
    }
    rows.push(rowOf(`first rows of 5,000, ${view}`, found, limits.firstRows))
    if (view !== 'board') continue
    const bytes = await page.evaluate<number>(`
      performance.getEntriesByType('resource').filter(({ name, responseEnd }) => name.endsWith('.js') && responseEnd < measured.firstRow)
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
    rows.unshift({
      measured: 'script of the first load, compressed',
      ...compareWith(bytes, limits.scriptBytes, 'bytes'),
    })
  }
  console.table(rows)
  await page.close()
}

async function measureScrolling(setup: BrowserSetup, scene: Scene, factor: number): Promise<void> {
  const page = await openPage(setup, scene, '/projects')
  const session = await slowDown(page, factor)
  const rows = []
  for (const [name, query, scroller] of [
    ['the list of 5,000', '?view=list', '.list-scroll'],
    [
      'the list of 5,000 in groups, with labels',
      '?view=list&group=stage&columns=name,stage,priority,labels,person,end',
      '.list-scroll',
    ],
    ['the timeline of 5,000', '?view=timeline', '.timeline'],
  ] as const) {
    await page.goto(`${setup.hosts.web}/projects/${scene.largeId}${query}`)
    await page.locator(`${scroller} :is(.list-row, .bar)`).first().waitFor()
    // A list first shows its first page. Waits for all rows, so that they can be scrolled.
    await page.locator('.list[aria-rowcount^="50"], .timeline').waitFor()
    await settle(page)
    await page.locator(scroller).hover()
    const before = await workOf(session)
    let pixels = 0
    const frames = await framesDuring(page, async () => {
      for (
        const end = performance.now() + gestureMilliseconds;
        performance.now() < end;
        pixels += notchPixels
      )
        await page.mouse.wheel(0, notchPixels)
    })
    const work = (await workOf(session)) - before
    rows.push({
      measured: `frames while scrolling ${name}`,
      ...frameRowOf(frames, limits.scrollFrame),
      'work for 1,000 pixels': tenths((work / pixels) * 1000),
    })
  }
  console.table(rows)
  await page.close()
}

async function measureDrags(setup: BrowserSetup, scene: Scene, factor: number): Promise<void> {
  const page = await openPage(setup, scene, `/projects/${scene.largeId}`)
  await page.locator('.card').first().waitFor()
  const session = await slowDown(page, factor)
  const rows = []
  for (const [name, path, from] of [
    ['a card over the board of 5,000', `/projects/${scene.largeId}`, '.card'],
    [
      'a bar over the timeline of 500',
      `/projects/${scene.projectId}?view=timeline`,
      '.timeline-track > .bar',
    ],
  ] as const) {
    await page.goto(setup.hosts.web + path)
    await page.locator(from).first().waitFor()
    // More assignments load after the first ones appear.
    await page.waitForTimeout(3000)
    const box = await page.locator(from).nth(2).boundingBox()
    if (box === null) throw new Error(`There is nothing to drag on ${path}.`)
    const [x, y] = [box.x + 20, box.y + 10]
    await page.mouse.move(x, y)
    await page.mouse.down()
    const before = await workOf(session)
    let moves = 0
    const frames = await framesDuring(page, async () => {
      for (const end = performance.now() + gestureMilliseconds; performance.now() < end; moves += 1)
        await page.mouse.move(x + 8 * Math.abs((moves % 120) - 60), y + 3 * Math.abs((moves % 60) - 30))
    })
    const work = (await workOf(session)) - before
    await page.mouse.move(x, y)
    await page.mouse.up()
    rows.push({
      measured: `frames while dragging ${name}`,
      ...frameRowOf(frames, limits.frame),
      // The work of the page for each position of the pointer.
      work: tenths(work / moves),
    })
  }
  console.table(rows)
  await page.close()
}

async function measureInteractions(setup: BrowserSetup, scene: Scene, factor: number): Promise<void> {
  const page = await openPage(setup, scene, '/projects')
  const session = await slowDown(page, factor)
  const rows = []
  for (const interaction of interactions) {
    const { name, prepare, act, leave } = interaction
    const found: number[] = []
    const work: number[] = []
    await page.goto(setup.hosts.web + pathOf(scene, interaction))
    await page.locator('.card, .list-row, .bar').first().waitFor()
    for (let round = 0; round < rounds; round += 1) {
      await page.waitForTimeout(300)
      await prepare?.(page)
      await settle(page)
      const before = await workOf(session)
      found.push(await millisecondsToPaint(page, async () => void (await act(page))))
      work.push((await workOf(session)) - before)
      await leave?.(page)
    }
    rows.push({ ...rowOf(name, found, limits.interaction), 'work of the page': medianOf(work) })
  }
  console.table(rows)
  await page.close()
}

async function reportShifts(setup: BrowserSetup, scene: Scene): Promise<void> {
  const page = await setup.signIn(scene.login, '/account', withMotion)
  const found = await measureShifts(setup, scene, page.context())
  console.table(found.map(({ path, width, sum }) => ({ path, width, ...compareWith(sum, limits.shift, '') })))
  for (const { path, width, shifts } of found.filter(({ sum }) => sum >= limits.shift))
    console.log(
      path,
      width,
      JSON.stringify(
        shifts.filter(({ value }) => value > 0.005),
        undefined,
        1,
      ),
    )
  await page.close()
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

const tenths = (value: number) => Math.round(value * 10) / 10

const medianOf = (numbers: readonly number[]) => Math.round(percentile(sorted(numbers), 0.5))

const frameRowOf = (frames: readonly number[], limit: number) => ({
  ...compareWith(percentile(sorted(frames), 0.95), limit, 'ms'),
  p50: tenths(percentile(sorted(frames), 0.5)),
  max: tenths(Math.max(...frames)),
  frames: frames.length,
  'of them late': frames.filter((milliseconds) => milliseconds > lateMilliseconds).length,
})

/** The slowest round counts, because a user would have waited for it, too. */
const rowOf = (name: string, found: readonly number[], limit: number) => ({
  measured: name,
  ...compareWith(Math.max(...found), limit, 'ms'),
  median: medianOf(found),
})

const compareWith = (value: number, limit: number, unit: string) => ({
  value: Math.round(value * 1000) / 1000,
  limit: `${limit} ${unit}`.trim(),
  kept: value < limit ? 'yes' : 'NO',
})

interface ShiftOfScreen {
  readonly path: string
  readonly width: number
  readonly sum: number
  readonly shifts: readonly Shift[]
}

const widths = [390, 768, 1440]
/** Delays responses, as for users far from the server, so that skeletons are visible before the rows. */
const latencyMilliseconds = 150
const settleMilliseconds = 700

/** Measures how much of each screen moves while it loads, as a sum of all moves. */
async function measureShifts(
  { hosts, workspace }: BrowserSetup,
  { projectId, assignment }: Scene,
  context: BrowserContext,
): Promise<readonly ShiftOfScreen[]> {
  const addresses = await everyScreen(hosts, { ...workspace, projectId }, assignment)
  const measured: ShiftOfScreen[] = []
  for (const width of widths) {
    const page = await context.newPage()
    await page.addInitScript(recordShifts)
    await page.setViewportSize({ width, height: 900 })
    await slowNetwork(page, latencyMilliseconds)
    for (const { path } of addresses) {
      await page.goto(hosts.web + path)
      await page.waitForTimeout(latencyMilliseconds * 5)
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      await page.waitForTimeout(settleMilliseconds)
      const shifts = await shiftsOf(page)
      measured.push({ path: path.replace(/[0-9a-f-]{36}/g, '…'), width, sum: sumOf(shifts), shifts })
    }
    await page.close()
  }
  return measured
}
