import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Environment } from '../../../src/config/settings.ts'
import { launchChromium } from '../../support/chromium.ts'
import { startTrackerHosts, type TrackerHosts } from './tracker-hosts.ts'
import { makeWorkspace, password, type TestWorkspace } from './workspace.ts'

/** One browser and one set of hosts for all journeys. */
export interface Stage {
  readonly hosts: TrackerHosts
  readonly workspace: TestWorkspace
  /** A page in a new browser: without cookies and without tokens. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>
  /**
   * A page of a signed-in user, in a browser shared by all tests with the same login and options: a test
   * that ends the session, or changes what the browser keeps, takes a login of its own from `workspace.join`.
   */
  signIn(login: string, path: string, options?: BrowserContextOptions): Promise<Page>
  /** What no page may do: send requests elsewhere, break the content policy, throw. */
  readonly offences: readonly string[]
  /** What the open pages show, for the report of a failed test. */
  describePages(): Promise<readonly string[]>
  closePages(): Promise<void>
  stop(): Promise<void>
}

/** On an idle machine everything here takes less than a second; on a busy one, many. */
const patienceMilliseconds = 25_000

export async function openStage(own: Environment = {}): Promise<Stage> {
  const [hosts, browser] = await Promise.all([startTrackerHosts(own), launchChromium()])
  const workspace = await makeWorkspace(hosts)
  const offences: string[] = []
  const visitors = new Set<BrowserContext>()
  const signedIn = new Map<string, BrowserContext>()
  const openContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      // Tests hold back requests of pages; those of a worker pass by them.
      serviceWorkers: 'block',
      ...options,
    })
    context.setDefaultTimeout(patienceMilliseconds)
    watch(context, hosts, offences)
    return context
  }
  const openPage = async (context: BrowserContext, path: string) => {
    const page = await context.newPage()
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
    async signIn(login, path, options) {
      const key = JSON.stringify([login, options])
      const known = signedIn.get(key)
      const context = known ?? (await openContext(options))
      const page = await openPage(context, path)
      if (known === undefined) {
        await fillSignIn(page, login)
        signedIn.set(key, context)
      }
      await page.waitForURL((url) => url.origin === hosts.web && url.pathname === path.split('?', 1)[0])
      await page.getByRole('main').waitFor()
      // What is above a button may move it between the press and the release, as long as it is loading.
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
  // What is in front of the page explains more than the page.
  const front = page.locator('dialog[open], .panel')
  const shown = await ((await front.count()) > 0 ? front.last() : page.locator('body'))
    .ariaSnapshot({ timeout: 2000 })
    .catch((error: Error) => error.message)
  return `Page ${page.url()}\n${shown.slice(0, 4000)}`
}

/** The message of errors that tests bring about on purpose. */
export const injected = 'Injected by a test.'

/** In whichever language the page is. */
export async function fillSignIn(page: Page, login: string, secret = password): Promise<void> {
  const signIn = page.getByRole('button', { name: /^(Sign in|Entrar)$/ })
  // The page of an invitation, which leads here, has fields of the same names.
  await signIn.waitFor()
  await page.getByLabel('Login').fill(login)
  await page.getByLabel(/^(Password|Senha)$/).fill(secret)
  await signIn.click()
}

function watch(context: BrowserContext, { web, api, issuer }: TrackerHosts, offences: string[]): void {
  const ours = new Set([web, api, issuer])
  context.on('request', (request) => {
    if (!ours.has(new URL(request.url()).origin)) offences.push(`asked ${request.url()}`)
  })
  context.on('weberror', (error) => {
    const { message } = error.error()
    if (message !== injected) offences.push(`threw ${message}`)
  })
  context.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) offences.push(message.text())
  })
}
