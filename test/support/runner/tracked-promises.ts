import asyncHooks, { type AsyncHook, type HookCallbacks } from 'node:async_hooks'

/**
 * node:test tracks every promise, to find the suite in which a test is defined. After all tests are defined,
 * it needs to know only the test of a socket or a timer. Tracking the promises of all hosts would cost a
 * tenth of the CPU time.
 *
 * This module must be loaded before node:test, which reads `createHook` when it is loaded.
 */
let tracking: { readonly hook: AsyncHook; readonly callbacks: HookCallbacks } | undefined

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  // node:test creates the first hook.
  tracking ??= { hook, callbacks }
  return hook
}

let hasStoppedTracking = false

/** From now on, a rejection that is not awaited fails the run, not the test that created the promise. */
export function stopTrackingPromises(): void {
  if (hasStoppedTracking) return
  hasStoppedTracking = true
  if (tracking === undefined)
    throw new Error('node:test was loaded earlier, or tracks promises in another way.')
  tracking.hook.disable()
  createHook({ ...tracking.callbacks, trackPromises: false }).enable()
}
