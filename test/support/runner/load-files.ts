import { basename } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { stopTestServer } from '../fresh-database.ts'
import { report } from './report.ts'

/**
 * Loads each file of TEST_FILES as a suite of its own. In one process the hooks at the top of a file would otherwise be
 * hooks of the whole run: one file's `beforeEach` would run before every test of all files.
 */
for (const file of JSON.parse(process.env.TEST_FILES ?? '[]') as string[]) {
  describe(file, async () => {
    before(() => report({ kind: 'start', file }))
    try {
      await import(`../../../${file}`)
    } catch (error) {
      // A suite that fails is not among the counted failures; a test is.
      test(`${basename(file)} can be loaded`, () => Promise.reject(error))
    }
  })
}

after(stopTestServer)
