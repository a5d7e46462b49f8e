import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Exceeds the number of tab stops of any screen. */
const pressesMax = 200

/** Presses Tab, or Shift+Tab, until the focused element matches the selector. */
export async function tabTo(page: Page, selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < pressesMax; presses += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
    await page.keyboard.press(key)
  }
  assert.fail(`${selector} was not reached.`)
}
