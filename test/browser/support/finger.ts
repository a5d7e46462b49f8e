import type { Page } from 'playwright-core'

interface Point {
  readonly x: number
  readonly y: number
}

/** Longer than the client waits for. */
const holdMilliseconds = 500

/** A finger on a page that was opened with `hasTouch`: put down, held or not, moved in steps, lifted. */
export async function dragWithFinger(
  page: Page,
  from: Point,
  to: Point,
  { isHeld }: { readonly isHeld: boolean },
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints })
  await send('touchStart', [from])
  if (isHeld) await page.waitForTimeout(holdMilliseconds)
  for (let step = 1; step <= 5; step += 1)
    await send('touchMove', [
      { x: from.x + ((to.x - from.x) * step) / 5, y: from.y + ((to.y - from.y) * step) / 5 },
    ])
  await send('touchEnd', [])
  await session.detach()
}
