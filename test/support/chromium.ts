import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/**
 * Debian's, unless CHROMIUM names another one; none is downloaded. The one without windows comes first: opening a page
 * costs it a quarter of the time.
 */
const paths = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const chromiumPath: string | undefined = paths.find((path) => path !== undefined && existsSync(path))

export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('No browser was found.')
  return chromium.launch({ executablePath: chromiumPath, args })
}

const args = [
  // Root has no sandbox, and containers have little shared memory.
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  // Nothing of it may reach for the network.
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=LocalNetworkAccessChecks',
]
