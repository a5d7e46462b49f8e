import type { Page } from 'playwright-core'
import type { Scene } from './scene.ts'

export interface Interaction {
  readonly name: string
  /** The query of the project's address. */
  readonly view?: string
  /** Brings the page into the state before the interaction, without being measured. */
  prepare?(page: Page): Promise<unknown>
  act(page: Page): Promise<unknown>
  /** Returns to the state in which the next round begins. */
  leave?(page: Page): Promise<unknown>
}

const press = (key: string) => (page: Page) => page.keyboard.press(key)
const firstCard = (page: Page) => page.locator('.column').first().locator('.card-link').first()
const panel = (page: Page) => page.locator('.panel .panel-name')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
/**
 * Clicks at the position of an element, so that only the click is measured, and not how long Playwright waits
 * for the element.
 */
const clickOn = async (page: Page, element: ReturnType<Page['locator']>) => {
  const box = await element.boundingBox()
  if (box === null) throw new Error('The element is not drawn.')
  await page.mouse.click(box.x + Math.min(40, box.width / 2), box.y + Math.min(12, box.height / 2))
}

/** Common interactions on a board, a list, a calendar and a timeline of 500 assignments. */
export const interactions: readonly Interaction[] = [
  {
    name: 'open a card',
    act: (page) => clickOn(page, firstCard(page)),
    leave: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'close the card',
    prepare: async (page) => {
      await firstCard(page).click()
      await panel(page).waitFor()
    },
    act: press('Escape'),
  },
  {
    name: 'move a card with keys',
    prepare: (page) => firstCard(page).focus(),
    act: press('Shift+ArrowRight'),
  },
  {
    name: 'move a card by its menu',
    prepare: async (page) => {
      await firstCard(page).hover()
      await page.locator('.column').first().locator('.card [aria-haspopup=menu]').first().click()
    },
    act: (page) => clickOn(page, page.getByRole('menuitem', { name: 'Doing' }).locator('visible=true')),
  },
  {
    name: 'open the menu of a card',
    prepare: (page) => firstCard(page).hover(),
    act: (page) => clickOn(page, page.locator('.card [aria-haspopup=menu]').first()),
    leave: press('Escape'),
  },
  {
    name: 'begin a new card',
    act: (page) => clickOn(page, button(page, 'New assignment in Backlog')),
    leave: press('Escape'),
  },
  {
    name: 'type the name of a new card',
    prepare: (page) => button(page, 'New assignment in Backlog').click(),
    act: (page) => page.keyboard.type('Quick', { delay: 120 }),
    leave: async (page) => {
      await page.getByLabel('Name of the new assignment in Backlog').fill('')
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'create the card with Enter',
    prepare: async (page) => {
      await button(page, 'New assignment in Backlog').click()
      await page.getByLabel('Name of the new assignment in Backlog').fill('Made quickly')
    },
    act: press('Enter'),
    leave: press('Escape'),
  },
  { name: 'open the palette', act: press('Control+k'), leave: press('Escape') },
  {
    name: 'type in the palette',
    prepare: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('option', { name: 'My week' }).waitFor()
    },
    act: (page) => page.keyboard.type('color', { delay: 120 }),
    leave: async (page) => {
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'filter by text',
    prepare: (page) => page.getByLabel('Search assignments').focus(),
    act: (page) => page.keyboard.type('color', { delay: 120 }),
    leave: async (page) => {
      await page.getByLabel('Search assignments').fill('')
      await page.waitForURL((url) => !url.search.includes('search'))
    },
  },
  {
    name: 'filter by person',
    act: (page) => clickOn(page, page.locator('.face').first()),
    leave: (page) => page.locator('.face').first().click(),
  },
  ...(['List', 'Calendar', 'Timeline'] as const).map((name) => ({
    name: `from the board to the ${name.toLowerCase()}`,
    act: (page: Page) => clickOn(page, page.getByRole('link', { name, exact: true })),
    leave: (page: Page) => page.getByRole('link', { name: 'Board', exact: true }).click(),
  })),
  {
    name: 'from the list to the board',
    view: '?view=list',
    act: (page) => clickOn(page, page.getByRole('link', { name: 'Board', exact: true })),
    leave: (page) => page.getByRole('link', { name: 'List', exact: true }).click(),
  },
  {
    name: 'sort the list',
    view: '?view=list',
    act: (page) => clickOn(page, button(page, 'Hours')),
  },
  {
    name: 'select a row of the list',
    view: '?view=list',
    act: (page) => clickOn(page, page.locator('.list-row .list-check label').first()),
  },
  {
    name: 'move a bar of the timeline with keys',
    view: '?view=timeline',
    prepare: (page) => page.locator('.timeline-track > .bar').first().focus(),
    act: press('Shift+ArrowRight'),
  },
  {
    name: 'move a bar of the calendar with keys',
    view: '?view=calendar',
    prepare: (page) => page.locator('.calendar-week > .bar[id]').first().focus(),
    act: press('Shift+ArrowRight'),
  },
]

export const pathOf = ({ projectId }: Scene, { view = '' }: Interaction): string =>
  `/projects/${projectId}${view}`
