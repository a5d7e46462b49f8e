import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { everyScreen, goWithin, type ScreenAddress } from '../support/every-screen.ts'
import type { Stage } from '../support/stage.ts'
import { testColorSchemes } from './accessibility.ts'

/** A dialog in front of some screens. */
const inFront: readonly (ScreenAddress & { readonly open: (page: Page) => Promise<void> })[] = [
  { path: '/week?week=2026-11-16', shows: 'Looked at by axe', open: refuse },
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

interface Shown extends ScreenAddress {
  readonly open?: (page: Page) => Promise<void>
}

function press(name: string) {
  return (page: Page) => page.getByRole('button', { name }).first().click()
}

async function refuse(page: Page): Promise<void> {
  await page
    .getByRole('textbox', { name: /^Looked at by axe, Mon/ })
    .first()
    .fill('x')
  await page.keyboard.press('Tab')
  await page.getByRole('alert').waitFor()
}

export function otherScreensJourneys(stage: () => Stage): void {
  const furnish = async (): Promise<readonly Shown[]> => {
    const { hosts, workspace } = stage()
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
    return [...(await everyScreen(hosts, workspace, { id, name: 'Looked at by axe' })), ...inFront]
  }

  testColorSchemes('have nothing to complain of', async (look) => {
    const screens = await furnish()
    const page = await stage().signIn('root@example.com', '/account', { reducedMotion: 'reduce' })
    for (const { path, shows, open } of screens) {
      await goWithin(page, path)
      await page.getByText(shows).first().waitFor({ state: 'attached' })
      await open?.(page)
      await look(page, `${path} ${open ? 'with something in front' : ''}`)
    }
  })

  test('hold on the narrowest phone, with nothing beyond the edge and targets for fingers', async () => {
    const screens = await furnish()
    const page = await stage().signIn('root@example.com', '/account', {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    })
    for (const { path, shows, open } of screens) {
      await goWithin(page, path)
      await page.getByText(shows).first().waitFor({ state: 'attached' })
      if (open !== refuse) await open?.(page)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path)
      // Rounded: an element that is still moving has a height slightly below.
      const small = await page.evaluate<string[]>(
        `[...document.querySelectorAll('button, input:not([type=checkbox]):not([aria-hidden]), select, .navigation a, .tabs a')].filter((one) => one.checkVisibility() && Math.round(one.getBoundingClientRect().height) < 44).map((one) => one.outerHTML)`,
      )
      assert.deepEqual(small, [], path)
    }
  })
}
