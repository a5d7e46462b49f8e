import { test } from 'node:test'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'

export function manualOrderJourneys(setup: () => BrowserSetup): void {
  test('is changed by keys and by dragging', async () => {
    const { signIn, workspace } = setup()
    const { jonas, mara, make, organizationId } = workspace
    const project = await make('project', { name: 'Ordered by hand', organizationId })
    for (const { id } of [mara, jonas]) await make('userProject', { projectId: project.id, userId: id })
    // The dates are in the reverse order of the names.
    for (const [index, name] of ['Anvil', 'Bellows', 'Chisel', 'Drill'].entries())
      await workspace.assignment(name, { projectId: project.id, endDate: `2099-01-0${9 - index}` })
    const path = `/projects/${project.id}`
    const page = await signIn('mara@example.com', path)
    /** Waits until the column has these cards in this order. */
    const waitForOrder = async (names: string, { column = 'Backlog', on = page } = {}) => {
      const links = on.getByRole('region', { name: column }).locator('.card-link')
      await until(async () => (await links.allTextContents()).join(' ') === names, names)
    }
    await waitForOrder('Drill Chisel Bellows Anvil')
    const card = (name: string) => page.locator('.card').filter({ hasText: name })
    // A card that is sorted by its end stays in its place. Without the script of the message that says why, another does.
    const dropFirst = () => card('Anvil').dragTo(card('Drill'), { targetPosition: { x: 20, y: 4 } })
    await page.route(/\/assets\/later-.*\.js$/, (route) => route.abort())
    await page.reload()
    await waitForOrder('Drill Chisel Bellows Anvil')
    await dropFirst()
    await page.getByText('The server cannot be reached').waitFor()
    await page.unroute(/\/assets\/later-.*\.js$/)
    await page.reload()
    await waitForOrder('Drill Chisel Bellows Anvil')
    // The message offers the order by hand.
    await dropFirst()
    const message = page.locator('.toast', { hasText: 'These assignments are sorted by their end.' })
    await message.getByRole('button', { name: 'By hand' }).click()
    await message.waitFor({ state: 'detached' })
    await waitForOrder('Anvil Bellows Chisel Drill')
    const other = await signIn('jonas@example.com', `${path}?order=hand`)

    /** Moves a card. The move is shown at once, and can be undone once a message reports it. */
    const move = async (change: () => Promise<unknown>, message: string) => {
      await change()
      await page.locator('.toast', { hasText: message }).waitFor()
    }
    const press = (key: string) => () => page.keyboard.press(key)
    const drillLink = card('Drill').locator('.card-link')
    await move(() => drillLink.press('Shift+ArrowUp'), 'Drill is now number 3 in Backlog.')
    await waitForOrder('Anvil Bellows Drill Chisel')
    await page.locator('.card-link:focus', { hasText: 'Drill' }).waitFor()
    await move(press('Shift+ArrowUp'), 'Drill is now number 2 in Backlog.')
    await waitForOrder('Anvil Drill Bellows Chisel')
    const dragOnto = (name: string, target: string) => () =>
      card(name).dragTo(card(target), { targetPosition: { x: 20, y: 4 } })
    await move(dragOnto('Chisel', 'Anvil'), 'Chisel is now number 1 in Backlog.')
    await waitForOrder('Chisel Anvil Drill Bellows')
    await move(press('Control+z'), 'Undone: “Chisel is now number 1 in Backlog.”')
    await waitForOrder('Anvil Drill Bellows Chisel')
    await move(press('Control+Shift+Z'), 'Redone: Chisel is now number 1 in Backlog.')
    await waitForOrder('Chisel Anvil Drill Bellows')
    const doing = page.getByRole('region', { name: 'Doing' })
    await move(() => card('Anvil').dragTo(doing), 'Anvil is now number 1 in Doing.')
    await waitForOrder('Anvil', { column: 'Doing' })
    await move(dragOnto('Drill', 'Anvil'), 'Drill is now number 1 in Doing.')
    await waitForOrder('Drill Anvil', { column: 'Doing' })
    await waitForOrder('Drill Anvil', { column: 'Doing', on: other })
    await waitForOrder('Chisel Bellows', { on: other })
    await page.reload()
    await waitForOrder('Drill Anvil', { column: 'Doing' })
  })

  test('is remembered as the choice for the project', async () => {
    const { hosts, signIn, workspace } = setup()
    const { mara, make, organizationId } = workspace
    const project = await make('project', { name: 'Order kept', organizationId })
    await make('userProject', { projectId: project.id, userId: mara.id })
    const late = await workspace.assignment('Late', { projectId: project.id, endDate: '2099-01-09' })
    await workspace.assignment('Soon', { projectId: project.id, endDate: '2099-01-01' })
    const path = `/projects/${project.id}`
    const page = await signIn('mara@example.com', path)
    const waitForFirst = (name: string) => page.locator('.card').first().filter({ hasText: name }).waitFor()
    await waitForFirst('Soon')
    await page.getByRole('button', { name: 'Order of the assignments' }).click()
    await page.getByRole('menuitem', { name: 'By hand' }).click()
    await waitForFirst('Late')
    for (const subpath of ['', `/assignments/${late}`]) {
      await page.goto(`${hosts.web}${path}${subpath}`)
      await waitForFirst('Late')
    }
    // An address with an order, or with a saved view, takes precedence.
    await page.goto(`${hosts.web}${path}?order=due`)
    await waitForFirst('Soon')
    await page.goto(`${hosts.web}${path}?saved=none`)
    await waitForFirst('Soon')
    await page.goto(`${hosts.web}${path}`)
    await waitForFirst('Late')
    await page.getByRole('button', { name: 'Order of the assignments' }).click()
    await page.getByRole('menuitem', { name: 'By end' }).click()
    await waitForFirst('Soon')
    await page.goto(`${hosts.web}${path}`)
    await waitForFirst('Soon')
  })
}
