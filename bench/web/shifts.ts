import type { BrowserContext } from 'playwright-core'
import { everyScreen } from '../../test/browser/support/every-screen.ts'
import { recordShifts, type Shift, shiftsOf, sumOf } from '../../test/browser/support/layout-shift.ts'
import { slowNetwork } from '../../test/browser/support/slow-network.ts'
import type { Stage } from '../../test/browser/support/stage.ts'
import type { Scene } from './scene.ts'

export interface ShiftOfScreen {
  readonly path: string
  readonly width: number
  readonly sum: number
  readonly shifts: readonly Shift[]
}

const widths = [390, 768, 1440]
/** Delays responses, so that what comes before the rows is visible, as for users far from the server. */
const latencyMilliseconds = 150
const restMilliseconds = 700

/** How much of each screen moves while it loads, all moves summed. */
export async function measureShifts(
  { hosts, workspace }: Stage,
  { projectId, assignment }: Scene,
  context: BrowserContext,
): Promise<readonly ShiftOfScreen[]> {
  const addresses = await everyScreen(hosts, { ...workspace, projectId }, assignment)
  const measured: ShiftOfScreen[] = []
  for (const width of widths) {
    const page = await context.newPage()
    await page.addInitScript(recordShifts)
    await page.setViewportSize({ width, height: 900 })
    await slowNetwork(page, latencyMilliseconds)
    for (const { path } of addresses) {
      await page.goto(hosts.web + path)
      await page.waitForTimeout(latencyMilliseconds * 5)
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      await page.waitForTimeout(restMilliseconds)
      const shifts = await shiftsOf(page)
      measured.push({ path: path.replace(/[0-9a-f-]{36}/g, '…'), width, sum: sumOf(shifts), shifts })
    }
    await page.close()
  }
  return measured
}
