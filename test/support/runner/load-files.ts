import { constants } from 'node:os'
import { basename } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { stopTestServer } from '../fresh-database.ts'
import { report } from './report.ts'
import { stopTrackingPromises } from './tracked-promises.ts'

let running = ''

/**
 * Loads each file of TEST_FILES as a suite. Otherwise the hooks at the top of a file would apply to the tests
 * of all files.
 */
for (const file of JSON.parse(process.env.TEST_FILES ?? '[]') as string[]) {
  describe(file, async () => {
    before(() => {
      // Hooks run after all files were loaded.
      stopTrackingPromises()
      running = file
      report({ kind: 'start', file })
    })
    try {
      await import(`../../../${file}`)
    } catch (error) {
      // The failure is reported as a test, because a failed suite is not counted.
      test(`${basename(file)} can be loaded`, () => Promise.reject(error))
    }
  })
}

after(stopTestServer)

// The rejection makes the run fail, but node:test does not know to which test it belongs.
process.on('unhandledRejection', (error) => {
  report({
    kind: 'text',
    text: `✖ In ${running}, a promise that nothing awaits was rejected:\n  ${inspect(error)}\n\n`,
  })
})

// `process.exit` runs the handlers that delete the files of the store. A signal alone would not.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
