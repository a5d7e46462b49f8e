import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

export function commentJourneys(setup: () => BrowserSetup): void {
  test('are written, changed and removed in an assignment', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Talked about')
    const path = `/projects/${workspace.projectId}/assignments/${id}`
    const mara = await signIn('mara@example.com', path)
    const jonas = await signIn('jonas@example.com', path)
    await jonas.getByLabel('Write a comment').fill('Not sent yet')
    await mara.getByLabel('Write a comment').fill('Looks **good** to me')
    await mara.keyboard.press('Control+Enter')
    await mara.locator('.comment strong', { hasText: 'good' }).waitFor()
    await jonas.locator('.comment', { hasText: 'Mara Lindqvist' }).getByText('good').waitFor()
    await assertAccessible(mara, 'comments')
    await mara.getByRole('button', { name: 'Actions for the comment of Mara Lindqvist' }).click()
    await mara.getByRole('menuitem', { name: 'Edit' }).click()
    await mara.getByLabel('Edit the comment').fill('Looks bad')
    await mara.keyboard.press('Control+Enter')
    await jonas.getByText('Looks bad').waitFor()
    await mara.getByRole('button', { name: 'Actions for the comment of Mara Lindqvist' }).click()
    await mara.getByRole('menuitem', { name: 'Remove' }).click()
    await mara.getByText('Looks bad').waitFor({ state: 'detached' })
    await mara.getByRole('button', { name: 'Undo' }).click()
    await mara.getByText('Looks bad').waitFor()
    // Jonas cannot change the comment, and his own input survives a reload.
    const menus = jonas.getByRole('button', { name: /^Actions for the comment/ })
    await menus.waitFor({ state: 'detached' })
    await jonas.reload()
    assert.equal(await jonas.getByLabel('Write a comment').inputValue(), 'Not sent yet')
  })
  test('appear to others at once, like participants and impediments', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Watched by two')
    const jonas = await signIn('jonas@example.com', `/projects/${workspace.projectId}/assignments/${id}`)
    await jonas.getByLabel('Write a comment').waitFor()
    await workspace.make('userAssignment', { assignmentId: id, userId: workspace.mara.id })
    await jonas.getByRole('button', { name: 'Remove Mara Lindqvist from the assignment' }).waitFor()
    await workspace.make('assignmentImpediment', { assignmentId: id, impedimentId: workspace.impedimentId })
    await jonas.locator('.panel').getByText('Waiting for the customer').first().waitFor()
  })
}
