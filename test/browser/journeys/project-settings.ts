import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { goWithin } from '../support/every-screen.ts'
import { assertAccessible } from './accessibility.ts'

export function projectSettingsJourneys(setup: () => BrowserSetup): void {
  const { makeProject } = datedProjects(setup)

  test('let the user choose a name if another user has renamed the project', async () => {
    const { signIn, workspace } = setup()
    const { organizationId } = workspace
    const { id } = await workspace.make('project', { name: 'First name', organizationId })
    const page = await signIn('root@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for First name' }).click()
    await page.getByRole('menuitem', { name: 'Settings…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('My name')
    await workspace.change('PATCH', 'project', { id, name: 'Their name', organizationId })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else has changed this project in the meantime.').waitFor()
    await page.locator('.conflict').getByText('Their name').waitFor()
    assert.equal((await workspace.get('project', id)).name, 'Their name')
    await page.getByRole('button', { name: 'Save mine anyway' }).click()
    await page.getByText('My name was saved.').waitFor()
    assert.equal((await workspace.get('project', id)).name, 'My name')
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await workspace.get('project', id)).name === 'Their name', 'the name before')
  })

  test('keep the header of the project', async () => {
    const { signIn, workspace } = setup()
    const { organizationId } = workspace
    const { id } = await workspace.make('project', { name: 'First quay', organizationId })
    const { id: otherId } = await workspace.make('project', { name: 'Second quay', organizationId })
    const page = await signIn('root@example.com', `/projects/${id}?view=list&group=priority`)
    const name = page.getByRole('button', { name: 'First quay' })
    const views = page.getByRole('navigation', { name: 'View' })
    const boxes = async () => [await name.boundingBox(), await views.boundingBox()]
    await page.getByText('No assignments yet').waitFor()
    // The header and the views stay in place, and lead back to the list as it was.
    const before = await boxes()
    for (const title of ['Hours', 'Activity', 'Settings']) {
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.locator('h1:focus', { hasText: title }).waitFor()
      await page.locator('.page-action[aria-current=page]', { hasText: title }).waitFor()
      assert.deepEqual(await boxes(), before, title)
    }
    assert.equal(await views.locator('[aria-current]').count(), 0)
    // N opens a new assignment over the page, which stays.
    await page.keyboard.press('n')
    const creation = page.getByRole('dialog', { name: 'New assignment' })
    await creation.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await creation.waitFor({ state: 'detached' })
    await page.waitForURL(`**/projects/${id}/settings`)
    await views.getByRole('link', { name: 'List', exact: true }).click()
    await page.waitForURL(`**/projects/${id}?group=priority&view=list`)
    await page.getByRole('link', { name: 'Hours', exact: true }).click()
    await page.locator('h1:focus', { hasText: 'Hours' }).waitFor()
    await name.press('Enter')
    await page
      .getByRole('option', { name: /^Second quay/ })
      .locator('.project-mark', { hasText: /^S$/ })
      .waitFor()
    await assertAccessible(page, 'the projects next to the name of one')
    await page.keyboard.press('Escape')
    await page.locator('.project-switch:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Switch project' }).fill('second')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/projects/${otherId}/report`)
    // On a phone, too, the views are next to the title.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('h1', { hasText: 'Hours' }).waitFor()
    await page.getByRole('link', { name: 'Board', exact: true }).waitFor()
    // A page below the settings keeps their index, which leads back.
    await goWithin(page, `/projects/${otherId}/settings`)
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    await page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: 'Integrations' })
      .and(page.locator('[aria-current]'))
      .click()
    await page.waitForURL(`**/projects/${otherId}/settings?part=integrations`)
    await page.getByRole('heading', { name: 'Archive or remove' }).waitFor()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await page.waitForURL(`**/projects/${otherId}`)
    await page.getByRole('heading', { name: 'Second quay' }).waitFor()
  })

  test('open a layer again that was just closed, and close it by a click on its button', async () => {
    const { path, make } = await makeProject('Layered')
    const id = await make('Below layers', 0, 1)
    const page = await setup().signIn('mara@example.com', path)
    const layer = page.locator(':popover-open')
    const useTwice = async (selector: string) => {
      const button = page.locator(selector).first()
      await button.press('Enter')
      await page.locator(':popover-open:focus-within').waitFor()
      // The button may be pressed again before the browser reports that the layer was closed.
      await button.evaluate(async (pressed: HTMLElement) => {
        const pressEscape = () => {
          const init = { key: 'Escape', bubbles: true, cancelable: true }
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init))
        }
        for (const close of [pressEscape, () => pressed.click()]) {
          close()
          await Promise.resolve()
          pressed.click()
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      })
      assert.equal(await layer.count(), 1, selector)
      // The button takes the focus before it is released.
      await button.click({ delay: 100 })
      await layer.waitFor({ state: 'detached' })
      assert.equal(await button.getAttribute('aria-expanded'), 'false', selector)
    }
    for (const [address, selectors] of Object.entries({
      [`/assignments/${id}?view=list`]: [
        '.project-switch',
        '.filter-button',
        '.display-button',
        '.day-button',
      ],
      '?view=board': ['.project-filters [aria-haspopup=menu]'],
      '?view=timeline': ['.legend-button'],
    })) {
      await goWithin(page, path + address)
      for (const selector of selectors) await useTwice(selector)
    }
    await page.keyboard.press('n')
    await useTwice('dialog .choice-chip')
  })

  test('keep the values that another user has saved in other fields', async () => {
    const { signIn, workspace } = setup()
    const { organizationId } = workspace
    const { id } = await workspace.make('project', { name: 'Former name', organizationId })
    const page = await signIn('root@example.com', `/projects/${id}/settings`)
    await page.getByLabel('Description').fill('Typed before the reload.')
    await workspace.change('PATCH', 'project', { id, name: 'Name of today', organizationId })
    await page.reload()
    const name = page.getByLabel('Name', { exact: true })
    await name.waitFor()
    assert.equal(await name.inputValue(), 'Name of today')
    assert.equal(await page.getByLabel('Description').inputValue(), 'Typed before the reload.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name of today was saved.').waitFor()
    assert.equal((await workspace.get('project', id)).name, 'Name of today')
  })

  test('change key and description, show an error next to its field, and archive the project', async () => {
    const { signIn, workspace } = setup()
    const { organizationId } = workspace
    const { id } = await workspace.make('project', { name: 'Quiet harbour', organizationId })
    const page = await signIn('root@example.com', `/projects/${id}/settings`)
    const key = page.getByLabel('Key', { exact: true })
    // The form shows that it is saved only after a change. Fields of forms but searches have one border color, filters of pages another one.
    await key.waitFor()
    const saved = page.getByText('Saved', { exact: true })
    assert.equal(await saved.count(), 0)
    const edges = page.locator(':is(input:not([type=search]), select).input:not(.stage-row .input)')
    const colorsOf = () =>
      edges.evaluateAll((all) => all.map((field) => getComputedStyle(field).borderTopColor))
    const colors = await colorsOf()
    assert.ok(colors.length > 2)
    await goWithin(page, '/impediments')
    await page.getByRole('searchbox').waitFor()
    const filterColors = await colorsOf()
    assert.ok(filterColors.length > 0)
    assert.equal(new Set(colors).size, 1)
    assert.equal(new Set(filterColors).size, 1)
    assert.notEqual(colors[0], filterColors[0])
    await goWithin(page, `/projects/${id}/settings`)
    await key.fill('no key')
    await page.getByText('Not saved yet').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: /^Key/ }).waitFor()
    await key.fill('HARBOUR')
    await page.getByLabel('Description').fill('Where ships rest.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Quiet harbour was saved.').waitFor()
    // There is nothing to save until something is changed again.
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' })
    // For two seconds, the form shows that it is saved.
    await saved.waitFor({ state: 'attached' })
    await saved.waitFor({ state: 'hidden' })
    assert.equal(await saved.count(), 1)
    assert.equal(await key.inputValue(), 'HARBOUR')
    // Without its buttons, the form ends with its last row, so no line juts out of the corners of its box.
    const line = () =>
      page
        .locator('.form > .field')
        .last()
        .evaluate((field) => getComputedStyle(field).borderBottomWidth)
    assert.equal(await line(), '0px')
    await page.reload()
    await key.waitFor()
    assert.equal(await key.inputValue(), 'HARBOUR')
    assert.equal(await page.getByLabel('Description').inputValue(), 'Where ships rest.')
    await page.getByText('addresses such as HARBOUR-12').waitFor()
    await assertAccessible(page, 'the settings of a project')
    // A control is next to its label, or below it on a phone.
    const distance = async () => {
      const label = await page.getByText('Key', { exact: true }).boundingBox()
      const field = await key.boundingBox()
      assert.ok(label && field)
      return { right: field.x - label.x - label.width, below: field.y - label.y - label.height }
    }
    assert.ok((await distance()).right > 0)
    await page.setViewportSize({ width: 390, height: 844 })
    assert.ok((await distance()).below > 0)
    // On a phone, the index replaces the first heading, and its cut end fades.
    const general = await page.getByRole('heading', { name: 'General' }).boundingBox()
    assert.ok((general?.width ?? 0) <= 1)
    const index = page.locator('.side-index')
    const fadeOf = () => index.evaluate((one) => getComputedStyle(one).getPropertyValue('--end-fade'))
    await until(async () => (await fadeOf()) !== '0px', 'a fade at the end of the index')
    await index.evaluate((one) => one.scrollTo({ left: one.scrollWidth }))
    await until(async () => (await fadeOf()) === '0px', 'the end of the index without a fade')
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByText('Quiet harbour is archived.').waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Projects' }).click()
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Quiet harbour' }).count(), 0)
    await page.getByRole('checkbox', { name: /^Show .* archived/ }).check()
    await page.getByRole('button', { name: 'Actions for Quiet harbour' }).click()
    await page.getByRole('menuitem', { name: 'Settings…' }).click()
    await page.getByRole('button', { name: 'Unarchive' }).click()
    await page.getByText('Quiet harbour is no longer archived.').waitFor()
    const members = page.getByRole('listitem').filter({ hasText: /^Members/ })
    await members.getByRole('img', { name: 'Rosa Root' }).waitFor()
    // The whole row is a button, even next to its icon.
    await members.click({ position: { x: 6, y: 6 } })
    await page.getByRole('dialog', { name: 'Members of Quiet harbour' }).waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Webhooks' })
      .click({ position: { x: 6, y: 6 } })
    await page.waitForURL(`**/projects/${id}/webhooks`)
  })

  test('set the color that the header and the list of projects show', async () => {
    const { hosts, signIn } = setup()
    const { path } = await makeProject('In its own color')
    const page = await signIn('mara@example.com', `${path}/settings`)
    await page.getByRole('combobox', { name: 'Color (optional)' }).selectOption('Teal')
    await page.locator('.field .select-frame[data-color=teal]').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('In its own color was saved.').waitFor()
    await page.locator('.project-header .project-mark[data-color=teal]').waitFor()
    await page.goto(`${hosts.web}/projects`)
    await page
      .locator('.row', { hasText: 'In its own color' })
      .locator('.project-mark[data-color=teal]')
      .waitFor()
  })
}
