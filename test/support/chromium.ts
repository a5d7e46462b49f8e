import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { memoryFolder } from './memory-folder.ts'

/**
 * Debian's, unless CHROMIUM names another one; none is downloaded. The one without windows comes first:
 * opening a page costs it a quarter of the time.
 */
const paths = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export const chromiumPath: string | undefined = paths.find((path) => path !== undefined && existsSync(path))

/** `close` closes what was opened here: other files go on with the same browser. */
export type OwnBrowser = Pick<Browser, 'newContext' | 'close'>

let running: Promise<Browser> | undefined
let users = 0

/**
 * One browser for all files of the process: starting it costs more than opening a dozen pages. Nothing is
 * shared by contexts.
 */
export async function launchChromium(): Promise<OwnBrowser> {
  users += 1
  running ??= start()
  const browser = await running
  const opened: BrowserContext[] = []
  return {
    async newContext(options) {
      const context = await browser.newContext(options)
      opened.push(context)
      return context
    },
    async close() {
      await Promise.all(opened.map((context) => context.close()))
      users -= 1
      setTimeout(closeUnused, idleMilliseconds)
    },
  }
}

/** Files that need a browser follow each other. */
const idleMilliseconds = 2000

async function start(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('No browser was found.')
  const browser = await chromium.launch({ executablePath: chromiumPath, args })
  // Whatever ended it, the next file gets another one.
  browser.once('disconnected', () => {
    running = undefined
  })
  return browser
}

async function closeUnused(): Promise<void> {
  if (users > 0) return
  const unused = running
  running = undefined
  await (await unused)?.close()
}

const args = [
  // Root has no sandbox.
  '--no-sandbox',
  ...(memoryFolder === undefined ? ['--disable-dev-shm-usage'] : []),
  '--disable-gpu',
  // Nothing of it may reach for the network.
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=LocalNetworkAccessChecks',
]
