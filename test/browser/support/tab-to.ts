import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** More presses than a screen has places to stop at. */
const pressesMax = 200

/** Walks on with Tab, or back with Shift+Tab, until the focus is on what fits the selector. */
export async function tabTo(page: Page, selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < pressesMax; presses += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
    await page.keyboard.press(key)
  }
  assert.fail(`${selector} is not reached`)
}
