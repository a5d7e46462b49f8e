import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Session } from '../session/session.ts'
import {
  type Api,
  type Connect,
  keyOf,
  type Page,
  type QueryOf,
  type RecordOf,
  type ResourceName,
} from './api.ts'
import { isOutage } from './problems.ts'

/**
 * Stores the values that screens have shown, and returns them while the server cannot be reached. No change
 * is based on them. They are erased when the session ends, and contain no tokens and no files.
 */
export interface LastSeen {
  /**
   * Returns the loaded value. While the server cannot be reached, returns the value that was loaded last, if
   * there is one.
   */
  read<Value>(key: string, load: () => Promise<Value>): Promise<Value>
  /** Like `read`, for a live answer. Calls `onUnseen` during an outage if there is no kept value. */
  follow<Value>(key: string, connect: Connect<Value>, onUnseen: (problem: Error) => unknown): Connect<Value>
  keep(key: string, value: unknown): void
  recall<Value>(key: string): Promise<Value | undefined>
  /** Returns the kept values whose keys begin with a text. */
  recallAll<Value>(prefix: string): Promise<readonly Value[]>
  /** The time of the oldest kept value that is shown instead of a current one. */
  readonly shownFrom: Signal<number | undefined>
}

/** Loads a list for a screen. */
export const readList = <Name extends ResourceName>(
  { api, lastSeen }: { readonly api: Api; readonly lastSeen: LastSeen },
  name: Name,
  query: QueryOf<Name>,
  signal?: AbortSignal,
): Promise<Page<RecordOf<Name>>> => lastSeen.read(listKeyOf(name, query), () => api.list(name, query, signal))

export const listKeyOf = (name: ResourceName, query: object): string => `${name} ${keyOf(query)}`

interface KeptValue {
  readonly account: string
  readonly key: string
  readonly value: unknown
  /** The time when it was shown. */
  readonly at: number
}

interface MeasuredValue extends KeptValue {
  readonly size: number
}

/** Values that arrive within this time are written together. */
const writeMilliseconds = 1000

export function createLastSeen(session: Pick<Session, 'state' | 'person' | 'onSignOut'>): LastSeen {
  const unwritten = new Map<string, KeptValue>()
  const shownFrom = signal<number>()
  const id = followAccount(session, () => unwritten.clear())
  let timer: ReturnType<typeof setTimeout> | undefined
  const write = (): Promise<void> | undefined => {
    clearTimeout(timer)
    timer = undefined
    // The size is measured here, because a live answer may be replaced many times before it is written.
    const values = [...unwritten.values()]
      .filter((kept) => kept.account === id.peek())
      .map((kept) => ({ ...kept, size: sizeOf(kept.value) }))
      .filter(({ size }) => size <= charactersOfValueMax)
    unwritten.clear()
    return values.length > 0 ? writeAll(values).catch(() => undefined) : undefined
  }
  addEventListener('pagehide', write)
  const keep = (key: string, value: unknown) => {
    const account = id.peek()
    if (account === undefined) return
    unwritten.set(key, { account, key, value, at: Date.now() })
    timer ??= setTimeout(write, writeMilliseconds)
  }
  const find = async (key: string): Promise<KeptValue | undefined> => {
    const account = id.peek()
    if (account === undefined) return undefined
    return unwritten.get(key) ?? readOne(account, key).catch(() => undefined)
  }
  const recall = async <Value>(key: string) => (await find(key))?.value as Value | undefined
  /** Returns the kept value after an outage, if there is one. Otherwise throws the error. */
  const recallAfter = async <Value>(
    key: string,
    error: unknown,
    onUnseen?: (problem: Error) => unknown,
  ): Promise<Value> => {
    const kept = isOutage(error) ? await find(key) : undefined
    if (kept === undefined) {
      if (isOutage(error)) onUnseen?.(error)
      throw error
    }
    shownFrom.value = Math.min(shownFrom.peek() ?? kept.at, kept.at)
    return kept.value as Value
  }
  return {
    async read(key, load) {
      try {
        const value = await load()
        keep(key, value)
        return value
      } catch (error) {
        return recallAfter(key, error)
      }
    },
    follow: (key, connect, onUnseen) =>
      followOrRecall(connect, {
        keep: (value) => keep(key, value),
        recallAfter: (error) => recallAfter(key, error, onUnseen),
      }),
    keep,
    recall,
    async recallAll(prefix) {
      await write()
      const found = await readAll([id.peek() ?? '', prefix]).catch(() => [])
      return found.map(({ value }) => value as never)
    },
    shownFrom,
  }
}

interface Recall<Value> {
  keep(value: Value): void
  recallAfter(error: unknown): Promise<Value>
}

function followOrRecall<Value>(
  connect: Connect<Value>,
  { keep, recallAfter }: Recall<Value>,
): Connect<Value> {
  let isShown = false
  return async function* (options) {
    try {
      for await (const answer of connect(options)) {
        isShown = true
        keep(answer.answer)
        yield answer
      }
    } catch (error) {
      // Yields only once, because every failed attempt to connect again would yield the value that is
      // already shown.
      if (!isShown) yield { id: '', answer: await recallAfter(error) }
      isShown = true
      throw error
    }
  }
}

/**
 * Returns the account whose values are kept. Values of other accounts are erased, and all values if there is
 * no session.
 */
function followAccount(
  { state, person, onSignOut }: Pick<Session, 'state' | 'person' | 'onSignOut'>,
  onChange: () => void,
): ReadonlySignal<string | undefined> {
  const id = signal<string>()
  const erase = async () => {
    onChange()
    await eraseOthers(id.peek()).catch(() => undefined)
  }
  const stop = effect(() => {
    id.value = state.value === 'signed-in' ? person.value?.id : undefined
    void erase()
  })
  onSignOut(async () => {
    stop()
    id.value = undefined
    await erase()
  })
  return id
}

/** The limits of all values together, a few megabytes. The oldest values are dropped first. */
const valuesMax = 400
const charactersMax = 8_000_000
/** A larger value is not kept. */
const charactersOfValueMax = 1_000_000

const sizeOf = (value: unknown): number =>
  JSON.stringify(value, (_, part) => (part instanceof Map ? [...part] : part))?.length ?? 0

let opened: Promise<IDBDatabase> | undefined

/** The connection stays open, so that values can be written at once while the user leaves the page. */
function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open('tracker', 1)
  request.onupgradeneeded = () => {
    const values = request.result.createObjectStore('seen', { keyPath: ['account', 'key'] })
    values.createIndex('age', ['at', 'size'])
  }
  return resultOf(request)
}

/** Begins a transaction on the values of all accounts. */
async function openValues(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  opened ??= openDatabase()
  return (await opened).transaction('seen', mode).objectStore('seen')
}

const resultOf = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const readOne = async (account: string, key: string): Promise<KeptValue | undefined> =>
  resultOf((await openValues('readonly')).get([account, key]))

/** Reads the values of an account whose keys begin with a text. */
const readAll = async ([account, prefix]: readonly [string, string]): Promise<readonly KeptValue[]> =>
  resultOf(
    (await openValues('readonly')).getAll(IDBKeyRange.bound([account, prefix], [account, `${prefix}\uffff`])),
  )

async function writeAll(kept: readonly MeasuredValue[]): Promise<void> {
  const values = await openValues('readwrite')
  for (const value of kept) values.put(value)
  // Commits at once, because the user may be leaving the page.
  values.transaction.commit()
  await dropOldest()
}

async function dropOldest(): Promise<void> {
  const values = await openValues('readwrite')
  let [count, characters] = [0, 0]
  const newestFirst = values.index('age').openKeyCursor(null, 'prev')
  newestFirst.onsuccess = () => {
    const cursor = newestFirst.result
    if (cursor === null) return
    const [, size] = cursor.key as [number, number]
    count += 1
    characters += size
    if (count > valuesMax || characters > charactersMax) values.delete(cursor.primaryKey)
    cursor.continue()
  }
}

async function eraseOthers(account: string | undefined): Promise<void> {
  const values = await openValues('readwrite')
  if (account === undefined) return void (await resultOf(values.clear()))
  values.delete(IDBKeyRange.upperBound([account], true))
  // An array sorts after every text, so this range contains only later accounts.
  await resultOf(values.delete(IDBKeyRange.lowerBound([account, []])))
}
