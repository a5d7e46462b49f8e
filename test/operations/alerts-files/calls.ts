import { setTimeout as sleep } from 'node:timers/promises'
import { openCommandCalls } from '../../support/command-calls.ts'

/** Calls commands until the process is killed. */
const [target = '', token = ''] = process.argv.slice(2)
const calls = openCommandCalls(target)
for (;;) {
  await calls.call('ListOrganizations', { pagination: { pageSize: 1 } }, { token })
  await sleep(100)
}
