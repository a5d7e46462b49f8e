import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { assertAccessible } from './accessibility.ts'

/** A red dot, in Base64. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=='

interface TestFile {
  readonly name: string
  /** The content in Base64, or a number of zero bytes. */
  readonly content: string | number
}

/** Pastes or drops a file, as a browser does. */
const transfer = (target: Locator, how: 'paste' | 'drop', file: TestFile) =>
  target.evaluate(
    (element, { how, file: { name, content } }) => {
      const bytes =
        typeof content === 'number'
          ? new Uint8Array(content)
          : Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], name))
      const options = { bubbles: true, cancelable: true }
      element.dispatchEvent(
        how === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      )
    },
    { how, file },
  )

export function attachmentJourneys(setup: () => BrowserSetup): void {
  const open = async (name: string) => {
    const { signIn, workspace } = setup()
    const id = await workspace.assignment(name)
    const address = `/projects/${workspace.projectId}/assignments/${id}`
    return { address, page: await signIn('mara@example.com', address) }
  }
  const row = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Attachments' }).getByRole('listitem').filter({ hasText: name })
  const isDrawn = (image: Locator) =>
    image.evaluate((element) => (element as HTMLImageElement).decode().then(() => true))

  test('are uploaded, shown, saved and removed', async () => {
    const { signIn } = setup()
    const { address, page } = await open('With files')
    const jonas = await signIn('jonas@example.com', address)
    await page.getByRole('button', { name: 'Files', exact: true }).waitFor()
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') },
      { name: 'notes [draft].txt', mimeType: 'text/plain', buffer: Buffer.from('One small step') },
    ])
    for (const viewer of [page, jonas]) {
      await row(viewer, 'dot.png').locator('img').waitFor()
      await row(viewer, 'notes [draft].txt').getByText('14 bytes · Mara Lindqvist').waitFor()
    }
    assert.ok(await isDrawn(row(jonas, 'dot.png').locator('img')))
    await assertAccessible(page, 'attachments')
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download notes [draft].txt' }).click(),
    ])
    assert.equal(saved.suggestedFilename(), 'notes [draft].txt')
    assert.equal(await readFile(await saved.path(), 'utf8'), 'One small step')
    await page.getByRole('button', { name: 'Show dot.png' }).click()
    const dialog = page.getByRole('dialog', { name: 'dot.png' })
    await dialog.getByRole('img', { name: 'dot.png' }).waitFor()
    await assertAccessible(page, 'a large image')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove dot.png' }).click()
    await row(jonas, 'dot.png').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(jonas, 'dot.png').waitFor()
  })

  test('are pasted or dropped into a text', async () => {
    const { page } = await open('With pictures')
    const comment = page.getByRole('textbox', { name: 'Write a comment' })
    await comment.fill('Look:')
    await transfer(comment, 'paste', { name: 'image.png', content: png })
    await until(
      async () => /^Look: !\[image-.*\.png\]\(attachment:.*\)$/.test(await comment.inputValue()),
      'the image in the comment',
    )
    await comment.press('Control+Enter')
    const image = page.locator('.comment .attachment-image img')
    assert.ok(await isDrawn(image))
    const isEnlarged = await image.evaluate(
      (element) => element.clientHeight > (element as HTMLImageElement).naturalHeight,
    )
    assert.ok(!isEnlarged, 'a small image keeps its size')
    await page.getByRole('button', { name: 'Add a description' }).click()
    const description = page.getByLabel('Description')
    await transfer(description, 'drop', { name: 'plan.bin', content: 3 })
    await until(async () => (await description.inputValue()).startsWith('[plan.bin](attachment:'), 'the link')
    await description.press('Control+Enter')
    await page
      .getByRole('region', { name: 'Description' })
      .getByRole('button', { name: 'plan.bin' })
      .waitFor()
  })

  test('show progress, errors, and a button to try again after an outage', async () => {
    const { page } = await open('With trouble')
    const panel = page.locator('.panel')
    await page.getByRole('button', { name: 'Files', exact: true }).waitFor()
    await transfer(panel, 'drop', { name: 'huge.bin', content: 25 * 1024 ** 2 + 1 })
    await page.getByText('huge.bin is too large. A file may have at most 25 MB.').waitFor()
    const outage = Promise.withResolvers<void>()
    await page.route('**/ext/attachment?*', async (route) => {
      await outage.promise
      await route.abort()
    })
    await transfer(panel, 'drop', { name: 'slow.bin', content: 10 })
    await page.getByRole('progressbar', { name: 'Upload of slow.bin' }).waitFor()
    outage.resolve()
    await row(page, 'slow.bin').getByText('The server cannot be reached.').waitFor()
    await assertAccessible(page, 'a failed upload')
    await page.unroute('**/ext/attachment?*')
    await row(page, 'slow.bin').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Download slow.bin' }).waitFor()
    assert.equal(await row(page, 'slow.bin').count(), 1)
  })
}
