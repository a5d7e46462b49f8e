import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  type AccessibilityReport,
  checkedTags,
  colorSchemes,
  findViolations,
  openAccessibilityReport,
} from '../support/accessibility-report.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { tabTo } from '../support/tab-to.ts'

/** Evaluates to the part in front of the page. Checking what is behind it, too, would take twice as long. */
const front = `[...document.querySelectorAll('dialog[open], :popover-open, .panel')].at(-1) ?? document`

/** Checks the list, dialog or panel that is in front, or else the whole page. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  assert.deepEqual(await findViolations(page, where, { runOnly: checkedTags }, front), [])
}

/** Returns the visible controls that are too small for fingers. */
export const smallControls = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).evaluateAll((controls) =>
    controls
      .filter((control) => control.checkVisibility())
      // Heights are rounded, because an element that is still moving is slightly smaller.
      .filter((control) => Math.round(control.getBoundingClientRect().height) < 44)
      .map((control) => control.outerHTML),
  )

/** Visits the screens once for both colour schemes, and reports each scheme as a test. */
export function testColorSchemes(
  name: string,
  visitScreens: (check: AccessibilityReport['check']) => Promise<void>,
): void {
  const report = openAccessibilityReport()
  let visited: Promise<void> | undefined
  for (const colorScheme of colorSchemes)
    test(`${name} in ${colorScheme} colours`, async () => {
      visited ??= visitScreens(report.check)
      await visited
      assert.deepEqual(report.violations[colorScheme], [])
    })
}

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true }

export function accessibilityJourneys(setup: () => BrowserSetup): void {
  testColorSchemes('screens have no accessibility problem', async (check) => {
    const { signIn, visit, workspace } = setup()
    const name = 'Looked at in all colours'
    const id = await workspace.assignment(name, { amountHours: 2, endDate: '2026-11-17' })
    await workspace.make('appointment', {
      assignmentId: id,
      userId: workspace.mara.id,
      keepDate: '2026-11-17',
      amountHours: 3,
    })
    await workspace.make('assignmentImpediment', { assignmentId: id, impedimentId: workspace.impedimentId })
    const signInPage = await visit('/login/')
    await signInPage.getByLabel('Password').waitFor()
    await check(signInPage, 'sign-in')
    const page = await signIn('root@example.com', '/projects')
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
    await check(page, 'projects')
    await page.getByRole('button', { name: 'Actions for Website relaunch' }).click()
    await check(page, 'menu')
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    await page.getByRole('combobox').click()
    await page.getByRole('option').first().waitFor()
    await check(page, 'members')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText('Name is required.').waitFor()
    await check(page, 'new project with an error')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Website relaunch' }).click()
    await page.getByRole('link', { name }).waitFor()
    await check(page, 'board')
    await page.getByRole('link', { name }).click()
    await page.getByText('3 h of 2 h, 1 h over').waitFor()
    await check(page, 'panel')
    await page.getByRole('button', { name: 'New assignment', exact: true }).click()
    await check(page, 'new assignment')
  })

  test('screens fit the narrowest phone', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Seen on a phone')
    const project = `/projects/${workspace.projectId}`
    const page = await signIn('mara@example.com', '/projects', phone)
    const { origin } = new URL(page.url())
    for (const path of ['/projects', project, `${project}/assignments/${id}`]) {
      await page.goto(origin + path)
      await page
        .getByText(path === '/projects' ? 'Website relaunch' : 'Seen on a phone')
        .first()
        .waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path)
      assert.deepEqual(await smallControls(page, 'button, input, select, .navigation a'), [], path)
      await assertAccessible(page, path)
    }
  })

  test('users sign in, open a board and move a card with the keyboard alone', async () => {
    const { visit, workspace } = setup()
    const id = await workspace.assignment('Reached by keys')
    const page = await visit('/projects')
    await page.getByLabel('Login').waitFor()
    await page.locator('#login:focus').waitFor()
    await page.keyboard.type('mara@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Correct-Horse-1')
    await page.keyboard.press('Enter')
    const link = page.getByRole('link', { name: 'Website relaunch' })
    await link.waitFor()
    await tabTo(page, `a[href="/projects/${workspace.projectId}"]`)
    await page.keyboard.press('Enter')
    await page.locator(`#card-${id}`).waitFor()
    // A screen reader announces the new screen, and continues from its title.
    await page.locator('h1:focus', { hasText: 'Website relaunch' }).waitFor()
    await tabTo(page, `#card-${id}`)
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByRole('region', { name: 'Doing' }).getByRole('link', { name: 'Reached by keys' }).waitFor()
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Reached by keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator(`#card-${id}:focus`).waitFor()
  })

  test('the heading of a page that the palette or Back opens gets the focus', async () => {
    const { signIn, workspace } = setup()
    const { organizationId } = workspace
    const { id } = await workspace.make('project', { name: 'Second heading', organizationId })
    await workspace.make('userProject', { projectId: id, userId: workspace.mara.id })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('heading', { name: 'Website relaunch' }).waitFor()
    // After the sign-in, the heading already has the focus, and closing the palette would return the focus to
    // it. So the focus is moved away first.
    const newAssignmentButton = page.getByRole('button', { name: 'New assignment', exact: true })
    await newAssignmentButton.focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('second heading')
    await page.getByRole('option', { name: 'Second heading', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('h1:focus', { hasText: 'Second heading' }).waitFor()
    await newAssignmentButton.focus()
    await page.goBack()
    await page.locator('h1:focus', { hasText: 'Website relaunch' }).waitFor()
  })
}
