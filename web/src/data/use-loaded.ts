import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceName } from '../api/api.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { reloadWhenDue, useRetry } from './use-listing.ts'

export interface Loaded<Value> {
  /** The last known value, which stays while another key is loaded. */
  readonly value: Value | undefined
  /** True while the value belongs to an earlier key. */
  readonly isStale: boolean
  readonly problem: Error | undefined
  reload(): void
}

/**
 * Loads data that takes several requests. It is reloaded when the key changes, after a write of this tab to
 * one of the resources, after an outage, and when the user comes back to the page or signs in again. With
 * `keep`, a name for this kind of data, the value is shown without a network, too.
 */
export function useLoaded<Value>(
  key: string,
  resources: readonly ResourceName[],
  load: (signal: AbortSignal) => Promise<Value>,
  { keep }: { readonly keep?: string } = {},
): Loaded<Value> {
  const { api, lastSeen, session } = useServices()
  const latestLoad = useRef(load)
  latestLoad.current = load
  const [loaded, setLoaded] = useState<{ key: string; value?: Value; problem?: Error }>({ key })
  const [reloads, setReloads] = useState(0)
  const reload = useMemo(() => () => setReloads((count) => count + 1), [])
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!isSignedIn) return
    const controller = new AbortController()
    const loadNow = () => latestLoad.current(controller.signal)
    const loading = keep === undefined ? loadNow() : lastSeen.read(`${keep} ${key}`, loadNow)
    loading.then(
      (value) => controller.signal.aborted || setLoaded({ key, value }),
      (problem: Error) => {
        // A dialog reports the end of the session.
        if (!controller.signal.aborted && !(problem instanceof SessionEndedError))
          setLoaded((last) => ({ ...last, problem }))
      },
    )
    return () => controller.abort()
  }, [key, reloads, isSignedIn])
  useRetry(loaded.problem, reload)
  const names = resources.join()
  useEffect(() => reloadWhenDue(api.onChange, resources, reload), [api, names, reload])
  return { value: loaded.value, isStale: loaded.key !== key, problem: loaded.problem, reload }
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
