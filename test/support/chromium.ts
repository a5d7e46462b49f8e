import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where distributions install it; none is downloaded. */
const places = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const chromiumPath: string | undefined = places.find(
  (place) => place !== undefined && existsSync(place),
)

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? '',
    // Root has no sandbox, and containers have little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
