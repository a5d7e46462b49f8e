import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/sql.ts'
import { cheapPasswords } from '../../support/cheap-passwords.ts'
import { insertAccount } from '../../support/insert-account.ts'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { password } from '../support/workspace.ts'
import { assertAccessible } from './accessibility.ts'

export function organizationJourneys(setup: () => BrowserSetup): void {
  test('can be found by a new user only by their whole name, as the form explains', async () => {
    const { hosts, signIn } = setup()
    const newcomer = await insertAccount(hosts.database, {
      name: 'Nils New',
      login: 'nils@example.com',
      passwordHash: await cheapPasswords().hash(password),
    })
    const page = await signIn(newcomer.login, '/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New project' })
    const key = dialog.getByLabel('Key')
    assert.equal(await key.getAttribute('placeholder'), 'Automatic')
    await page.getByLabel('Name', { exact: true }).fill('Alone')
    assert.equal(await key.getAttribute('placeholder'), 'ALO')
    // The fields are as high as the chips of a new assignment.
    assert.equal((await dialog.locator('.choice-chips').boundingBox())?.height, 32)
    // Without a membership, a user finds only organizations whose whole name they know.
    const organization = dialog.getByRole('combobox', { name: 'Organization' })
    const hint = dialog.getByText('No organization of your projects matches. Type the full name')
    for (const text of ['', 'Lighthouse', 'Lighthouse Studi']) {
      await organization.click()
      await Promise.all([
        text === '' ? undefined : page.waitForResponse(/api\/organizations\?.*search=/),
        organization.fill(text),
      ])
      await hint.waitFor()
      assert.equal(await dialog.getByText('Lighthouse Studio').count(), 0)
    }
    await assertAccessible(page, 'a project without an organization')
    // Escape discards what was typed. The whole name suffices, before the suggestions arrive and afterwards.
    await organization.fill('lighthouse studio')
    await organization.press('Escape')
    await organization.press('Tab')
    assert.equal(await organization.inputValue(), '')
    await organization.fill('lighthouse studio')
    await organization.press('Tab')
    await until(async () => (await organization.inputValue()) === 'Lighthouse Studio', 'the organization')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Alone')
    // The form waits for the organization that was typed last.
    await organization.fill(' LIGHTHOUSE studio ')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Alone' }).waitFor()
    await page.goto(`${hosts.web}/projects`)
    await page.getByRole('button', { name: 'Actions for Alone' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    await page.getByText('You can find people you already share a project with.').waitFor()
    await page.getByRole('combobox', { name: 'Add a member' }).fill('Jonas')
    await page.getByText('No one found.').waitFor()
  })

  test('are offered only if the user has projects in them', async () => {
    const { hosts, signIn, workspace } = setup()
    await workspace.make('organization', { name: 'Strangers' })
    const page = await signIn('mara@example.com', '/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New project' })
    await dialog.getByRole('combobox', { name: 'Organization' }).click()
    await dialog.getByRole('option', { name: 'Lighthouse Studio' }).waitFor()
    assert.equal(await dialog.getByRole('option', { name: 'Strangers' }).count(), 0)
    await page.goto(`${hosts.web}/projects/${workspace.projectId}/settings`)
    const organization = page.getByRole('combobox', { name: 'Organization' })
    await page.locator('input[role=combobox]').and(organization).waitFor()
    await organization.click()
    await page.getByRole('option', { name: 'Lighthouse Studio' }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'Strangers' }).count(), 0)
    await page.keyboard.press('Escape')
    assert.equal(await organization.inputValue(), 'Lighthouse Studio')
    await page.goto(`${hosts.web}/reports/sums`)
    await page.getByRole('button', { name: 'Filter' }).click()
    const filter = page.getByRole('combobox', { name: 'Organization' })
    await filter.locator('option', { hasText: 'Lighthouse Studio' }).waitFor({ state: 'attached' })
    assert.equal(await filter.locator('option', { hasText: 'Strangers' }).count(), 0)
  })

  test('are found by an administrator by a part of their current name', async () => {
    const { hosts, signIn, workspace } = setup()
    await Promise.all(
      Array.from({ length: 101 }, (_, index) => workspace.make('organization', { name: `Many ${index}` })),
    )
    const { id } = await workspace.make('organization', { name: 'Zebra Works' })
    const page = await signIn('root@example.com', '/projects')
    const open = () => page.getByRole('button', { name: 'New project' }).click()
    await open()
    const dialog = page.getByRole('dialog', { name: 'New project' })
    const organization = dialog.getByRole('combobox', { name: 'Organization' })
    await organization.fill('zebra')
    await dialog.getByRole('option', { name: 'Zebra Works' }).click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await hosts.database.query(sql`update organizations set name = 'Okapi Works' where id = ${id}`)
    await page.reload()
    await open()
    // The draft contains only the id.
    await page.waitForFunction(() =>
      [...document.querySelectorAll('dialog input')].some(
        (input) => (input as HTMLInputElement).value === 'Okapi Works',
      ),
    )
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })
}
