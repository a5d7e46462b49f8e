import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { tabTo } from '../support/tab-to.ts'

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

  test('leaves the focus at a place nearby when it is removed', async () => {
    const { signIn, workspace } = setup()
    const { id: projectId } = await workspace.make('project', {
      name: 'Fading',
      organizationId: workspace.organizationId,
    })
    for (const { id: userId } of [workspace.mara, workspace.jonas])
      await workspace.make('userProject', { projectId, userId })
    const [first, second, alone] = await Promise.all(
      ['1 first', '2 second', '3 alone'].map((name, index) =>
        workspace.assignment(name, {
          projectId,
          workflowId: workspace.stages[index === 2 ? 'Doing' : 'Backlog'],
        }),
      ),
    )
    const impediment = { assignmentId: second, impedimentId: workspace.impedimentId }
    for (const description of ['One', 'Two'])
      await workspace.make('assignmentImpediment', { ...impediment, description })
    const page = await signIn('mara@example.com', `/projects/${projectId}`)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const isFocused = (selector: string) => page.locator(`${selector}:focus`).waitFor()
    const remove = async (id: string | undefined, key: 'Control+k' | 'ContextMenu') => {
      await page.locator(`#card-${id}`).focus()
      await press(key)
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('remove')
      await page.locator('dialog [aria-selected=true]', { hasText: 'Remove' }).waitFor()
      await press('Enter')
    }
    await remove(alone, 'Control+k')
    await isFocused('[aria-label="New assignment in Doing"]')
    await remove(first, 'ContextMenu')
    await isFocused(`#card-${second}`)

    await press('Enter')
    await isFocused('#panel-title')
    await page.getByText('Two', { exact: true }).waitFor()
    await tabTo(page, '[aria-label^="Resolve"]')
    await press('Enter')
    await page.getByText('One', { exact: true }).waitFor({ state: 'detached' })
    await isFocused('[aria-label^="Resolve"]')
    await press('Enter')
    await isFocused('#panel-title')

    await press('Escape')
    await isFocused(`#card-${second}`)
    await page.getByRole('button', { name: 'Members…', exact: true }).press('Enter')
    await page.locator('[aria-label^="Remove Jonas"]').press('Enter')
    await isFocused('[aria-label^="Remove Mara"]')

    await press('Escape', 'g', 'm')
    await page.getByRole('button', { name: 'Record hours for 2 second' }).press('Enter')
    await isFocused('.log-time input')
    await press('Escape')
    await isFocused('[aria-label="Record hours for 2 second"]')
  })
}
