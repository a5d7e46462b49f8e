import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { memoryFolder } from './memory-folder.ts'

/**
 * The first installed browser is used, unless CHROMIUM names one. The headless shell comes first, because it
 * opens a page in a quarter of the time.
 */
const paths = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const chromiumPath: string | undefined = paths.find((path) => path !== undefined && existsSync(path))

/** A handle to the browser that several files share. `close` closes only the contexts of this handle. */
export type SharedBrowser = Pick<Browser, 'newContext' | 'close'>

/** The next test file that needs the browser starts within this time. */
const idleMilliseconds = 2000

/**
 * Returns a function that starts a browser at its first call, and shares it with later calls until it has
 * been unused for a while.
 */
export function shareBrowser(start: () => Promise<Browser>): () => Promise<SharedBrowser> {
  let running: Promise<Browser> | undefined
  let users = 0
  const startNew = () => {
    const starting = start()
    const clear = () => {
      if (running === starting) running = undefined
    }
    running = starting
    // If the browser does not start, crashes or is closed, the next call starts a new one.
    starting.then((browser) => browser.once('disconnected', clear), clear)
    return starting
  }
  const closeUnused = async () => {
    if (users > 0) return
    const unused = running
    running = undefined
    await (await unused)?.close()
  }
  return async () => {
    users += 1
    const browser = await (running ?? startNew()).catch((error) => {
      users -= 1
      throw error
    })
    const contexts: BrowserContext[] = []
    return {
      async newContext(options) {
        const context = await browser.newContext(options)
        contexts.push(context)
        return context
      },
      async close() {
        await Promise.all(contexts.map((context) => context.close()))
        users -= 1
        setTimeout(closeUnused, idleMilliseconds)
      },
    }
  }
}

/** All files of a process share a browser: starting one costs more than opening a dozen pages. */
export const launchChromium = shareBrowser(async () => {
  if (chromiumPath === undefined) throw new Error('No browser was found.')
  return chromium.launch({
    executablePath: chromiumPath,
    args,
    // By default, Playwright makes Chromium keep its shared memory on the disk.
    ignoreDefaultArgs: memoryFolder === undefined ? [] : ['--disable-dev-shm-usage'],
  })
})

const disabledFeatures = [
  // Pages of the tests access hosts on 127.0.0.1 without a permission prompt.
  'LocalNetworkAccessChecks',
  // Most contexts open one page, so a renderer in reserve would be started for nothing.
  'SpareRendererForSitePerProcess',
  // Chromium uses only the last list of its command line, so this list repeats the features that Playwright
  // disables.
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

const args = ['--disable-gpu', '--disable-quic', `--disable-features=${disabledFeatures.join(',')}`]
