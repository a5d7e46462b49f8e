import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import type { BrowserSetup } from './support/browser-setup.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

function contractJourneys(setup: () => BrowserSetup): void {
  test('has keys on its board for the fields that v1 has', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Moved by a key')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const card = page.locator(`#card-${id}`)
    await card.focus()
    for (const key of ['l', 'p']) await page.keyboard.press(key)
    await page.keyboard.press('s')
    const pickers = page.getByRole('dialog').getByRole('combobox')
    await pickers.waitFor()
    assert.equal(await pickers.count(), 1)
    await page.keyboard.type('done')
    await page.keyboard.press('Enter')
    await page
      .getByRole('region', { name: 'Done', exact: true })
      .getByRole('link', { name: 'Moved by a key' })
      .waitFor()
    assert.equal((await workspace.get('assignment', id)).workflowId, workspace.stages.Done)
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Move to a stage…').waitFor()
    assert.equal(await sheet.getByText('Set the priority…').count(), 0)
    assert.equal(await sheet.getByText('Add or remove a label…').count(), 0)
  })

  test('keeps the whole typed name of a new assignment as text', async () => {
    const { signIn, workspace } = setup()
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}`)
    const name = 'Ask @jonas about #pumps !high fri'
    await page.getByRole('button', { name: 'New assignment in Backlog' }).click()
    await page.getByLabel('Name of the new assignment in Backlog').fill(name)
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'Backlog' }).getByRole('link', { name })
    await card.waitFor()
    await card.click()
    const panel = page.getByRole('complementary', { name })
    await panel.getByLabel('Stage', { exact: true }).waitFor()
    await panel.getByRole('button', { name: 'Impediment' }).waitFor()
    for (const part of ['Priority', 'Labels', 'Relation', 'Sub-assignment', 'Activity', 'Files'])
      assert.equal(await panel.getByText(part, { exact: true }).count(), 0, part)
    const [row] = await setup().hosts.database.query<{ name: string; userId: string }>(
      sql`select name, user_id as "userId" from assignments where name like '%#pumps%'`,
    )
    assert.deepEqual(row, { name, userId: workspace.mara.id })
  })

  test('changes and removes many assignments', async () => {
    const { signIn, workspace } = setup()
    const { Backlog, Doing } = workspace.stages
    const ids = [await workspace.assignment('One of many'), await workspace.assignment('Two of many')]
    const [first = '', second = ''] = ids
    const stageOf = async (id: string) => (await workspace.get('assignment', id)).workflowId
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}?view=list`)
    for (const name of ['One of many', 'Two of many']) await page.getByLabel(`Select ${name}`).check()
    await page.getByRole('button', { name: 'Stage of all selected' }).click()
    await page.getByRole('menuitem', { name: 'Doing' }).click()
    await page.getByText('2 assignments: Doing.').waitFor()
    await workspace.change('PATCH', 'assignment', {
      ...(await workspace.get('assignment', second)),
      name: 'Two, renamed',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByText('One assignment was not changed. It was changed or removed in the meantime.')
      .waitFor()
    assert.deepEqual([await stageOf(first), await stageOf(second)], [Backlog, Doing])
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('2 assignments were removed.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'One of many' }).waitFor()
  })

  test('says that the appearance is that of this browser', async () => {
    const page = await setup().signIn('mara@example.com', '/account')
    await page.getByText('Your choices apply in this browser only.').waitFor()
    assert.equal(await page.getByText('on all your devices').count(), 0)
  })

  test('has only links to pages that work, or that say what is switched off', async () => {
    const { hosts, signIn, workspace } = setup()
    const page = await signIn('root@example.com', `/projects/${workspace.projectId}`)
    await page.getByRole('region', { name: 'Backlog' }).waitFor()
    const hrefs = await page.evaluate<string[]>(
      `[...document.querySelectorAll('nav a, .page-header a')].map(({ pathname, search }) => pathname + search)`,
    )
    assert.ok(hrefs.length > 8, hrefs.join())
    for (const href of new Set(hrefs)) {
      await page.goto(hosts.web + href)
      await page.getByRole('main').getByRole('heading').first().waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      assert.deepEqual(await page.getByRole('main').getByRole('alert').allTextContents(), [], href)
    }
  })
}

describeInBrowser('Without the extensions', { 'a project': contractJourneys }, { EXTENSIONS: 'off' })
