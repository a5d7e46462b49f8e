import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/sql.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

export function mentionJourneys(setup: () => BrowserSetup): void {
  test('are chosen after an @, stored as ids, shown with the current name, and notify the user', async () => {
    const { hosts, signIn, workspace } = setup()
    const greta = await workspace.join('Greta Blum')
    const id = await workspace.assignment('Ask the others')
    const path = `/projects/${workspace.projectId}/assignments/${id}`
    const page = await signIn('mara@example.com', path)
    const comment = page.getByRole('textbox', { name: 'Write a comment' })
    await comment.pressSequentially('Please look, @gre')
    await page.getByRole('option', { name: 'Greta Blum' }).waitFor()
    await assertAccessible(page, 'the people who can be mentioned')
    await page.keyboard.press('Enter')
    await page.keyboard.type('and say')
    assert.equal(await comment.inputValue(), 'Please look, @Greta Blum and say')
    await page.keyboard.press('Control+Enter')
    const mention = page.locator('.comment .mention')
    await mention.filter({ hasText: '@Greta Blum' }).waitFor()
    const [stored] = await hosts.database.query<{ text: string }>(
      sql`select text from comments where assignment_id = ${id}`,
    )
    assert.equal(stored?.text, `Please look, @[user:${greta.id}] and say`)

    const inbox = await signIn('greta@example.com', '/inbox')
    await inbox.getByText('Mara Lindqvist mentioned you').waitFor()

    await hosts.database.query(sql`update users set name = 'Greta Sommer' where id = ${greta.id}`)
    await page.reload()
    await mention.filter({ hasText: '@Greta Sommer' }).waitFor()
    await page.getByRole('button', { name: 'Actions for the comment of Mara Lindqvist' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const offered = page.getByRole('listbox', { name: 'Members' }).getByRole('option')
    const editor = page.getByRole('textbox', { name: 'Edit the comment' })
    assert.equal(await editor.inputValue(), 'Please look, @Greta Sommer and say')
    // Escape closes the list of people, but neither the form nor the panel.
    await editor.press('End')
    await page.keyboard.type(' @')
    await offered.first().waitFor()
    await page.keyboard.press('Escape')
    await offered.first().waitFor({ state: 'hidden' })
    assert.equal(await editor.inputValue(), 'Please look, @Greta Sommer and say @')
  })
}
