import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Environment } from '../../../src/config/settings.ts'
import { chromiumPath } from '../../support/chromium.ts'
import { type BrowserSetup, setUpBrowser } from './browser-setup.ts'
import { whileBuilding } from './build-client.ts'

export type Journeys = (setup: () => BrowserSetup) => void

/** Declares suites that share one browser and one set of hosts with these settings. */
export function describeInBrowser(
  name: string,
  suites: Readonly<Record<string, Journeys>>,
  settings: Environment = {},
): void {
  const skip =
    chromiumPath === undefined &&
    'No browser was found: install chromium, or set CHROMIUM to the path of one.'
  describe(`${name}, in a real browser`, { skip }, () => {
    let setup: BrowserSetup
    before(async () => {
      setup = await setUpBrowser(settings)
    }, whileBuilding)
    afterEach(async (context) => {
      // The context of a suite has no result.
      const isTest = 'passed' in context
      if (isTest && !context.passed) for (const page of await setup.describePages()) context.diagnostic(page)
      await setup.closePages()
    })
    after(() => setup?.stop())

    for (const [suite, define] of Object.entries(suites)) describe(suite, () => define(() => setup))

    test('the pages cause no errors and send no requests to other hosts', () => {
      assert.deepEqual(setup.offences, [])
    })
  })
}
