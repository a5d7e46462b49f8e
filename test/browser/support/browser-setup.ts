import type { BrowserContext, BrowserContextOptions, Page, ViewportSize } from 'playwright-core'
import type { Environment } from '../../../src/config/settings.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTrackerHosts, type TrackerHosts } from './tracker-hosts.ts'
import { makeWorkspace, password, type TestWorkspace } from './workspace.ts'

/** One browser and one set of hosts for all journeys. */
export interface BrowserSetup {
  readonly hosts: TrackerHosts
  readonly workspace: TestWorkspace
  /** Opens a page in a new browser context, without cookies and tokens. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>
  /**
   * Opens a page of a signed-in user. All tests with the same login and options share a browser context,
   * whatever their viewport is. A test that ends the session or changes data that the browser or the account
   * stores needs a login of its own, created with `workspace.join`.
   */
  signIn(login: string, path: string, options?: BrowserContextOptions): Promise<Page>
  /** Requests to other hosts, violations of the content policy, and errors that pages have thrown. */
  readonly offences: readonly string[]
  /** Describes the open pages, for the report of a failed test. */
  describePages(): Promise<readonly string[]>
  closePages(): Promise<void>
  stop(): Promise<void>
}

/**
 * The time limit of each step. A step takes less than a second on an idle machine, but may take many seconds
 * on a busy machine.
 */
const stepMilliseconds = 25_000

export async function setUpBrowser(settings: Environment = {}): Promise<BrowserSetup> {
  const [hosts, browser] = await Promise.all([startTrackerHosts(settings), launchChromium()])
  const workspace = await makeWorkspace(hosts)
  const offences: string[] = []
  const visitors = new Set<BrowserContext>()
  const signedIn = new Map<string, BrowserContext>()
  const openContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      // Tests intercept requests of pages. Requests of a service worker would not be intercepted.
      serviceWorkers: 'block',
      // Painting each frame of a transition would cost a third of the CPU time of hovers and clicks.
      reducedMotion: 'reduce',
      ...options,
    })
    context.setDefaultTimeout(stepMilliseconds)
    watch(context, hosts, offences)
    return context
  }
  const openPage = async (context: BrowserContext, path: string, viewport?: ViewportSize | null) => {
    const page = await context.newPage()
    if (viewport) await page.setViewportSize(viewport)
    await page.goto(hosts.web + path)
    return page
  }
  return {
    hosts,
    workspace,
    offences,
    async visit(path, options) {
      const context = await openContext(options)
      visitors.add(context)
      return openPage(context, path)
    },
    async signIn(login, path, { viewport, ...options } = {}) {
      const key = JSON.stringify([login, options])
      const sharedContext = signedIn.get(key)
      const context = sharedContext ?? (await openContext(options))
      const page = await openPage(context, path, viewport)
      if (sharedContext === undefined) {
        await fillSignIn(page, login)
        signedIn.set(key, context)
      }
      await page.waitForURL((url) => url.origin === hosts.web && url.pathname === path.split('?', 1)[0])
      await page.getByRole('main').waitFor()
      // Content that is loading above a button may move the button between the press and the release.
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      return page
    },
    async describePages() {
      const pages = [...visitors, ...signedIn.values()].flatMap((context) => context.pages())
      return Promise.all(pages.map(describePage))
    },
    async closePages() {
      const pages = [...signedIn.values()].flatMap((context) => context.pages())
      await Promise.all([...signedIn.values()].map((context) => context.setOffline(false)))
      await Promise.all([...visitors, ...pages].map((opened) => opened.close()))
      visitors.clear()
    },
    async stop() {
      await browser.close()
      await hosts.stop()
    },
  }
}

async function describePage(page: Page): Promise<string> {
  // A dialog or panel in front of the page explains a failure better than the page.
  const front = page.locator('dialog[open], .panel')
  const shown = await ((await front.count()) > 0 ? front.last() : page.locator('body'))
    .ariaSnapshot({ timeout: 2000 })
    .catch((error: Error) => error.message)
  return `Page ${page.url()}\n${shown.slice(0, 4000)}`
}

/** The message of errors that tests cause on purpose. */
export const injected = 'Injected by a test.'

/** Signs in on the sign-in page, in any language. */
export async function fillSignIn(page: Page, login: string, secret = password): Promise<void> {
  const signIn = page.getByRole('button', { name: /^(Sign in|Entrar)$/ })
  // The page of an invitation leads here and has fields with the same names.
  await signIn.waitFor()
  await page.getByLabel('Login').fill(login)
  await page.getByLabel(/^(Password|Senha)$/).fill(secret)
  await signIn.click()
}

/** Resizes the window, and waits for the frame in which the scripts of the page adapt to it. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

/** Waits for the response to a change of an assignment. */
export const untilSaved = (page: Page) =>
  page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.url().endsWith('/ext/assignment'),
  )

function watch(context: BrowserContext, { web, api, issuer }: TrackerHosts, offences: string[]): void {
  const ours = new Set([web, api, issuer])
  context.on('request', (request) => {
    if (!ours.has(new URL(request.url()).origin)) offences.push(`requested ${request.url()}`)
  })
  context.on('weberror', (error) => {
    const { message } = error.error()
    if (message !== injected) offences.push(`threw ${message}`)
  })
  context.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) offences.push(message.text())
  })
}
