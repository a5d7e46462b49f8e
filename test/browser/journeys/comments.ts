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

  test('are written at the foot of the panel, which grows while it is used and covers none', async () => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment('Much talked about')
    for (const text of ['First', 'Second', 'Third', 'Last'])
      await workspace.make('comment', { assignmentId: id, userId: workspace.mara.id, text })
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}/assignments/${id}`)
    const panel = page.getByRole('complementary', { name: 'Much talked about' })
    const field = panel.getByLabel('Write a comment')
    const tools = panel.getByRole('toolbar', { name: 'Formatting' })
    const heightOf = async () => (await field.boundingBox())?.height ?? 0
    const untilShown = (text: string) =>
      page.waitForFunction((shown) => {
        const boxOf = (element: Element | null | undefined) => element?.getBoundingClientRect()
        const line = boxOf(
          [...document.querySelectorAll('.comment')].find((one) => one.textContent.includes(shown)),
        )
        const above = boxOf(document.querySelector('.panel-header'))
        const below = boxOf(document.querySelector('.composer'))
        return line && above && below && line.top >= above.bottom && line.bottom <= below.top
      }, text)
    await panel.getByText('Last', { exact: true }).waitFor()
    const line = await heightOf()
    assert.ok(line < 40, `${line} pixels instead of one line`)
    assert.equal(await tools.count(), 0)
    await panel.locator('.panel-scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight))
    await untilShown('Last')
    await field.click()
    await tools.waitFor()
    assert.ok((await heightOf()) > 60)
    await untilShown('Last')
    // It shrinks after the click, which would otherwise miss what moves under the pointer.
    await panel.getByRole('button', { name: 'Comments only' }).click()
    await panel.getByRole('button', { name: 'Show changes' }).waitFor()
    await tools.waitFor({ state: 'detached' })
    assert.equal(await heightOf(), line)
    await panel.locator('.panel-scroll').evaluate((scroll) => scroll.scrollTo(0, 0))
    await field.fill('Now this')
    await page.keyboard.press('Control+Enter')
    await untilShown('Now this')
    await panel.getByRole('button', { name: 'Show changes' }).click()
    // The keyboard of a phone covers a part of the window.
    await page.evaluate(() => {
      const viewport = visualViewport as VisualViewport
      Object.defineProperty(viewport, 'height', { value: innerHeight - 300 })
      viewport.dispatchEvent(new Event('resize'))
    })
    const composer = await panel.locator('.composer').boundingBox()
    assert.equal((composer?.y ?? 0) + (composer?.height ?? 0), (page.viewportSize()?.height ?? 0) - 300)
  })
}
