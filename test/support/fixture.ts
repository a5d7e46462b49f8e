import { after, before } from 'node:test'

interface Stoppable {
  stop?(): unknown
  drop?(): unknown
  close?(): unknown
}

const stop = (value: Stoppable) => (value.stop ?? value.drop ?? value.close)?.call(value)

/** Lets a test declare the value with `await using`, so that it is stopped even if an assertion fails. */
export function disposable<T extends AsyncDisposable>(value: Omit<T, typeof Symbol.asyncDispose>): T
export function disposable(value: Stoppable): Stoppable & AsyncDisposable {
  return Object.assign(value, {
    async [Symbol.asyncDispose](this: Stoppable) {
      await stop(this)
    },
  })
}

/** The fixtures by the name of their suite, in the order in which they were started. */
const started = new Map<string, Stoppable[]>()

/**
 * Starts something before the tests of a suite, and stops it after them. Fixtures are stopped in reverse
 * order. The returned object exists at once, so that helpers and other fixtures can refer to it. It has no
 * properties before the first test, and then has the properties of the started value.
 */
export function fixture<Arguments extends unknown[], T extends object>(
  start: (...args: Arguments) => Promise<T> | T,
  ...args: Arguments
): T {
  const proxy = {} as T & Stoppable
  before(async ({ fullName }) => {
    const value = await start(...args)
    for (const key of Object.keys(value) as (keyof T)[])
      Object.defineProperty(proxy, key, {
        enumerable: true,
        get: () => value[key],
        set: (next) => {
          value[key] = next
        },
      })
    started.set(fullName, [...(started.get(fullName) ?? []), proxy])
  })
  after(async ({ fullName }) => {
    const fixtures = started.get(fullName) ?? []
    started.delete(fullName)
    for (const startedFixture of fixtures.toReversed()) await stop(startedFixture)
  })
  return proxy
}
