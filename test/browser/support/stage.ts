import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../../support/chromium.ts'
import { startTrackerHosts, type TrackerHosts } from './tracker-hosts.ts'
import { makeWorkspace, password, type TestWorkspace } from './workspace.ts'

/** One browser and one set of hosts for all journeys. */
export interface Stage {
  readonly hosts: TrackerHosts
  readonly workspace: TestWorkspace
  /** A visitor with nothing kept: neither cookies nor tokens. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>
  /** The same, signed in: on the way the first time, later with what that has left in the browser. */
  signIn(login: string, path: string, options?: BrowserContextOptions): Promise<Page>
  /** What no page may do: ask anybody else, break the content policy, throw. */
  readonly offences: readonly string[]
  closePages(): Promise<void>
  stop(): Promise<void>
}

/** Everything here happens within a second on an idle machine, which a busy one makes many. */
const patienceMilliseconds = 25_000

export async function openStage(): Promise<Stage> {
  const [hosts, browser] = await Promise.all([startTrackerHosts(), launchChromium()])
  const workspace = await makeWorkspace(hosts)
  const offences: string[] = []
  const contexts = new Set<BrowserContext>()
  const signedIn = new Map<string, BrowserContextOptions['storageState']>()
  const visit: Stage['visit'] = async (path, options) => {
    const context = await openContext(browser, options)
    contexts.add(context)
    watch(context, hosts, offences)
    const page = await context.newPage()
    await page.goto(hosts.web + path)
    return page
  }
  return {
    hosts,
    workspace,
    offences,
    visit,
    async signIn(login, path, options) {
      const storageState = signedIn.get(login)
      const page = await visit(path, { ...options, ...(storageState && { storageState }) })
      if (storageState === undefined) await fillSignIn(page, login)
      await page.waitForURL((url) => url.origin === hosts.web && url.pathname === path.split('?', 1)[0])
      await page.getByRole('main').waitFor()
      if (storageState === undefined) signedIn.set(login, await page.context().storageState())
      return page
    },
    async closePages() {
      await Promise.all([...contexts].map((context) => context.close()))
      contexts.clear()
    },
    async stop() {
      await browser.close()
      await hosts.stop()
    },
  }
}

export async function fillSignIn(page: Page, login: string, secret = password): Promise<void> {
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(patienceMilliseconds)
  return context
}

function watch(context: BrowserContext, { web, api, issuer }: TrackerHosts, offences: string[]): void {
  const ours = new Set([web, api, issuer])
  context.on('request', (request) => {
    if (!ours.has(new URL(request.url()).origin)) offences.push(`asked ${request.url()}`)
  })
  context.on('weberror', (error) => offences.push(`threw ${error.error().message}`))
  context.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) offences.push(message.text())
  })
}
