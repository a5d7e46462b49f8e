import { after, before } from 'node:test'

interface Ending {
  stop?(): unknown
  drop?(): unknown
  close?(): unknown
}

/** In whichever way it ends. */
const endOf = (one: Ending) => (one.stop ?? one.drop ?? one.close)?.call(one)

/** What a single test declares with `await using` ends with that test, also when an assertion fails. */
export function disposable<T extends AsyncDisposable>(value: Omit<T, typeof Symbol.asyncDispose>): T
export function disposable(value: Ending): Ending & AsyncDisposable {
  return Object.assign(value, {
    async [Symbol.asyncDispose](this: Ending) {
      await endOf(this)
    },
  })
}

/** By the name of their suite, in the order in which they were started. */
const started = new Map<string, Ending[]>()

/**
 * Starts something before the tests of a suite and stops it after them; what started last is stopped first.
 * The object exists at once, so that helpers and other fixtures may refer to it; from the first test on it
 * stands for what started.
 */
export function fixture<Given extends unknown[], T extends object>(
  start: (...given: Given) => Promise<T> | T,
  ...given: Given
): T {
  const held = {} as T & Ending
  before(async ({ fullName }) => {
    const value = await start(...given)
    for (const key of Object.keys(value) as (keyof T)[])
      Object.defineProperty(held, key, {
        enumerable: true,
        get: () => value[key],
        set: (next) => {
          value[key] = next
        },
      })
    started.set(fullName, [...(started.get(fullName) ?? []), held])
  })
  after(async ({ fullName }) => {
    const own = started.get(fullName) ?? []
    started.delete(fullName)
    for (const one of own.toReversed()) await endOf(one)
  })
  return held
}
