import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { everyScreen, type LoadedScreen } from '../support/every-screen.ts'
import { type HeldAnswers, holdAnswers } from '../support/held-answers.ts'
import { noteShifts, shiftsOf, sumOf } from '../support/layout-shift.ts'
import type { Stage } from '../support/stage.ts'
import { assertAccessible } from './accessibility.ts'

const shiftMax = 0.05

/** Runs before anything else of a page: records which shapes are visible, and how often loading is announced. */
const noteSkeletons = `
  globalThis.seen = { shapes: [], said: 0 }
  const said = new WeakSet()
  setInterval(() => {
    for (const one of document.querySelectorAll('.skeleton')) {
      const shape = one.className.match(/skeleton-(\\w+)/)[1]
      if (one.checkVisibility({ opacityProperty: true }) && !seen.shapes.includes(shape)) seen.shapes.push(shape)
    }
    for (const one of document.querySelectorAll('[role=status]'))
      if (one.textContent === 'Loading' && !said.has(one)) { said.add(one); seen.said += 1 }
  }, 20)`

const seenOn = (page: Page) =>
  page.evaluate<{ readonly shapes: readonly string[]; readonly said: number }>('seen')

async function untilSeen(page: Page): Promise<void> {
  for (let looks = 0; looks < 1000; looks += 1) {
    const { shapes, said } = await seenOn(page)
    if (shapes.length > 0 && said > 0) return
    await page.waitForTimeout(20)
  }
}

export function skeletonJourneys(stage: () => Stage): void {
  const faultsOf = async (
    page: Page,
    held: HeldAnswers,
    { path, shows, ...shapeOf }: LoadedScreen,
  ): Promise<readonly string[]> => {
    const isPhone = (page.viewportSize()?.width ?? 0) < 760
    const wanted = (isPhone && shapeOf.shapeOnPhones) || shapeOf.shape
    held.hold()
    await page.goto(stage().hosts.web + path)
    // However slow the machine is, answers wait for the skeletons; a skeleton that never appears is reported below.
    await untilSeen(page)
    held.letGo()
    await page.getByText(shows).first().waitFor({ state: 'attached' })
    await held.untilQuiet()
    const [shifts, { shapes, said }, left] = [
      await shiftsOf(page),
      await seenOn(page),
      await page.locator('.skeleton').count(),
    ]
    return [
      ...(shapes.includes(wanted) ? [] : [`shows ${shapes.join()} instead of ${wanted}`]),
      ...(said === 1 ? [] : [`says ${said} times that it is loading`]),
      ...(left === 0 ? [] : ['goes on loading']),
      ...(sumOf(shifts) < shiftMax ? [] : [`moves: ${JSON.stringify(shifts)}`]),
    ]
  }

  test('of each screen have its shape, stay until its content arrives, move nothing, and are announced once', async () => {
    const { hosts, signIn, workspace } = stage()
    const name = 'Loaded slowly'
    const id = await workspace.assignment(name)
    await workspace.make('userAssignment', { assignmentId: id, userId: workspace.administrator.id })
    const addresses = await everyScreen(hosts, workspace, { id, name })
    const context = (await signIn('root@example.com', '/account')).context()
    // Concurrent, because each of them mostly waits.
    const faults = await Promise.all(
      [390, 768, 1440].map(async (width) => {
        const page = await context.newPage()
        await page.setViewportSize({ width, height: 900 })
        for (const script of [noteShifts, noteSkeletons]) await page.addInitScript(script)
        const held = await holdAnswers(page, [hosts.api, `${hosts.issuer}/ext`])
        const found: string[] = []
        for (const address of addresses)
          for (const fault of await faultsOf(page, held, address))
            found.push(`${address.path} at ${width} ${fault}`)
        return found
      }),
    )
    assert.deepEqual(faults.flat(), [])
  })

  test('are one word for screen readers, do not move with reduced motion, and are not nested', async () => {
    const { hosts, signIn, workspace } = stage()
    const id = await workspace.assignment('Never loaded')
    const page = await signIn('root@example.com', '/account')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const asked = new Set<string>()
    await page.route(
      (url) => url.href.startsWith(`${hosts.api}/`),
      (route) => void asked.add(new URL(route.request().url()).pathname.split('/').at(-1) ?? ''),
    )
    await page.goto(`${hosts.web}/projects/${workspace.projectId}/assignments/${id}`)
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor()
    assert.equal(await page.locator('.skeleton').count(), 2)
    // What cards, fields and lists need does not wait for the name of the project, nor for the assignment.
    const needed = [
      'projects',
      'workflows',
      'assignmentTypes',
      'assignmentImpediments',
      'assignments',
      'comments',
    ]
    assert.deepEqual(
      needed.filter((name) => !asked.has(name)),
      [],
    )
    await assertAccessible(page, 'an assignment while it is loaded')
    const [duration] = await page
      .locator('.skeleton')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).animationDuration))
    assert.equal(duration, '0s')
  })
}
