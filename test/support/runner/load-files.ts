import { constants } from 'node:os'
import { basename } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { stopTestServer } from '../fresh-database.ts'
import { followNoMorePromises } from './followed-promises.ts'
import { report } from './report.ts'

let running = ''

/**
 * Loads each file of TEST_FILES as a suite of its own. In one process the hooks at the top of a file would
 * otherwise be hooks of the whole run: one file's `beforeEach` would run before every test of all files.
 */
for (const file of JSON.parse(process.env.TEST_FILES ?? '[]') as string[]) {
  describe(file, async () => {
    before(() => {
      // Hooks run once every file is loaded.
      followNoMorePromises()
      running = file
      report({ kind: 'start', file })
    })
    try {
      await import(`../../../${file}`)
    } catch (error) {
      // A suite that fails is not among the counted failures; a test is.
      test(`${basename(file)} can be loaded`, () => Promise.reject(error))
    }
  })
}

after(stopTestServer)

// node:test makes the run fail by it, and no longer knows which test it belongs to.
process.on('unhandledRejection', (error) => {
  report({
    kind: 'text',
    text: `✖ In ${running}, a promise failed that nothing waited for:\n  ${inspect(error)}\n\n`,
  })
})

// Without these, a signal would leave the store's files behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
