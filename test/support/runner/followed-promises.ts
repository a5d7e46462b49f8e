import asyncHooks, { type AsyncHook, type HookCallbacks } from 'node:async_hooks'

/**
 * node:test follows every promise, to find out in which suite a test is defined. Once all tests are defined,
 * it needs to know only which test a socket or a timer belongs to, for errors that are thrown there.
 * Following the promises of all hosts until the end would cost a tenth of the processor time.
 *
 * Loaded before node:test is, which takes `createHook` from the module when it is loaded itself.
 */
let followed: { readonly hook: AsyncHook; readonly callbacks: HookCallbacks } | undefined

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  followed ??= { hook, callbacks }
  return hook
}

let isLight = false

/** From then on, an error in a promise that is not awaited fails the run, and no longer the test that made the promise. */
export function followNoMorePromises(): void {
  if (isLight) return
  isLight = true
  if (followed === undefined)
    throw new Error('node:test was loaded before, or follows promises in another way.')
  followed.hook.disable()
  createHook({ ...followed.callbacks, trackPromises: false }).enable()
}
