import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserSetup } from '../support/browser-setup.ts'

export function assignmentKeyJourneys(setup: () => BrowserSetup): void {
  test('is shown in the panel and on the card, can be copied, and leads to the assignment', async () => {
    const { hosts, signIn, workspace } = setup()
    const id = await workspace.assignment('Has a key')
    const path = `/projects/${workspace.projectId}/assignments/${id}`
    const page = await signIn('mara@example.com', path)
    const key = (await page.getByRole('button', { name: /^Copy [A-Z]+-\d+$/ }).textContent()) ?? ''
    await page.locator(`[data-row="${id}"]`).getByText(key, { exact: true }).waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: `Copy ${key}` }).click()
    await page.getByText(`${key} was copied.`).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), key)
    await page.locator('.panel').getByRole('button', { name: 'Actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Copy link' }).click()
    await page.getByText('The link was copied.').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${hosts.web}/a/${key}`)

    await page.goto(`${hosts.web}/projects`)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    await palette.getByRole('combobox').fill(key.toLowerCase())
    await palette.getByRole('option', { name: 'Has a key' }).click()
    await page.waitForURL(`**${path}`)
    await page.goto(`${hosts.web}/a/${key}`)
    await page.waitForURL(`**${path}`)
    await page.getByRole('complementary', { name: 'Has a key' }).waitFor()
    await page.goto(`${hosts.web}/a/NOPE-1`)
    await page.getByText('There is no such assignment, or you are not a member of its project').waitFor()
  })
}
