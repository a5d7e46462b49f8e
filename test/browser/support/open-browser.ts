import { type Browser, chromium } from 'playwright-core'
import { findBrowser } from './find-browser.ts'

/** Nothing of it may reach for the network. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=LocalNetworkAccessChecks',
]

export async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('No browser was found.')
  return chromium.launch({ executablePath, args: [...args, '--headless=new'] })
}
