import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { shareBrowser } from '../support/chromium.ts'

/** Records the browsers that are started. Closing them emits no event. */
function fakeBrowsers(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const started: EventEmitter[] = []
  const start = async () => {
    const browser = Object.assign(new EventEmitter(), { close: async () => undefined })
    started.push(browser)
    return browser as unknown as Browser
  }
  return { started, start }
}

test('A late disconnect of the previous browser does not replace the current one', async (context) => {
  const { started, start } = fakeBrowsers(context)
  const launch = shareBrowser(start)
  await (await launch()).close()
  context.mock.timers.tick(2000)
  await launch()
  assert.equal(started.length, 2)
  started[0]?.emit('disconnected')
  await launch()
  assert.equal(started.length, 2)
  // A disconnect of the current browser does replace it.
  started[1]?.emit('disconnected')
  await launch()
  assert.equal(started.length, 3)
})

test('After a failed start, the next file starts a browser, which is closed when it is unused', async (context) => {
  const { started, start } = fakeBrowsers(context)
  let fails = true
  const launch = shareBrowser(async () => {
    if (fails) throw new Error('not enough memory')
    return start()
  })
  await assert.rejects(launch(), /not enough memory/)
  fails = false
  const { close } = await launch()
  await close()
  const closed = context.mock.method(started[0] as unknown as Browser, 'close')
  context.mock.timers.tick(2000)
  await nextTurn()
  assert.equal(closed.mock.callCount(), 1)
})
