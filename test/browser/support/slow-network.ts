import type { Page } from 'playwright-core'

/** Delays the beginning of each response, as for users far from the server. */
export async function slowNetwork(page: Page, latencyMilliseconds: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMilliseconds,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
}
