import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Connect, ResourceName } from '../api/api.ts'
import { type Connection, openLive } from '../api/live.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { subscribeToReloads, useProblemOf, useRetry } from './use-listing.ts'

interface Loaded<Value> {
  /** The last known value. It stays while another key is loaded. */
  readonly value: Value | undefined
  /** True while the value belongs to an earlier key. */
  readonly isStale: boolean
  readonly problem: Error | undefined
  reload(): void
}

/**
 * Loads data that is not a page of a list. It is reloaded when the key changes, after a write of this tab to
 * one of the resources, after an outage, and when the user returns to the page. With `cacheName`, the last
 * value is stored and shown without a network.
 */
export function useLoaded<Value>(
  key: string,
  resources: readonly ResourceName[],
  load: (signal: AbortSignal) => Promise<Value>,
  { cacheName }: { readonly cacheName?: string } = {},
): Loaded<Value> {
  const { api, lastSeen, session } = useServices()
  const latestLoad = useRef(load)
  latestLoad.current = load
  const [loaded, setLoaded] = useState<{ key: string; value?: Value }>({ key })
  const [problem, setProblem] = useProblemOf(key)
  const [reloads, setReloads] = useState(0)
  const reload = useCallback(() => setReloads((count) => count + 1), [])
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!isSignedIn) return
    const controller = new AbortController()
    const loadNow = () => latestLoad.current(controller.signal)
    const loading = cacheName === undefined ? loadNow() : lastSeen.read(`${cacheName} ${key}`, loadNow)
    loading.then(
      (value) => {
        if (controller.signal.aborted) return
        setProblem(undefined)
        setLoaded({ key, value })
      },
      (error: Error) => {
        // A dialog reports the end of the session.
        if (!controller.signal.aborted && !(error instanceof SessionEndedError)) setProblem(error)
      },
    )
    return () => controller.abort()
  }, [key, reloads, isSignedIn])
  useRetry(problem, reload)
  const names = resources.join()
  useEffect(() => subscribeToReloads(api.onChange, resources, reload), [api, names, reload])
  const { value } = loaded
  return { value, isStale: value !== undefined && loaded.key !== key, problem, reload }
}

interface Live<Value> extends Loaded<Value> {
  readonly connection: Connection
}

/** Follows a response that is sent again whenever it changes, such as a report. */
export function useLive<Value>(key: string, connect: Connect<Value>): Live<Value> {
  const { lastSeen, session } = useServices()
  const [loaded, setLoaded] = useState<{ key: string; value?: Value }>({ key })
  const [problem, setProblem] = useProblemOf(key)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [reloads, setReloads] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!isSignedIn) return
    const onProblem = (error: Error) => error instanceof SessionEndedError || setProblem(error)
    return openLive(lastSeen.follow(key, connect, onProblem), {
      onValue(value) {
        setProblem(undefined)
        setLoaded({ key, value })
      },
      onConnection: setConnection,
      onProblem,
    })
  }, [key, reloads, isSignedIn])
  return {
    value: loaded.value,
    isStale: loaded.value !== undefined && loaded.key !== key,
    problem,
    connection,
    reload: () => setReloads((count) => count + 1),
  }
}

/** Runs periodically while the page is visible, for data without a live listing. */
export function useInterval(milliseconds: number, run: () => void): void {
  const latestRun = useRef(run)
  latestRun.current = run
  useEffect(() => {
    const timer = setInterval(() => document.hidden || latestRun.current(), milliseconds)
    return () => clearInterval(timer)
  }, [milliseconds])
}
