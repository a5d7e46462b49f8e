import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceName } from '../api/api.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { reloadWhenDue, useRetry } from './use-listing.ts'

export interface Loaded<Value> {
  /** The last known value, which stays while another key is loaded. */
  readonly value: Value | undefined
  /** Set while the value belongs to an earlier key. */
  readonly isStale: boolean
  readonly problem: Error | undefined
  reload(): void
}

/**
 * Loads data that takes several requests. It is reloaded when the key changes, after a write of this tab to one of the resources,
 * and when the user comes back to the page or signs in again.
 */
export function useLoaded<Value>(
  key: string,
  resources: readonly ResourceName[],
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const { api, session } = useServices()
  const wanted = useRef(load)
  wanted.current = load
  const [known, setKnown] = useState<{ key: string; value?: Value; problem?: Error }>({ key })
  const [turn, setTurn] = useState(0)
  const reload = useMemo(() => () => setTurn((count) => count + 1), [])
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!isSignedIn) return
    const left = new AbortController()
    wanted.current(left.signal).then(
      (value) => left.signal.aborted || setKnown({ key, value }),
      (problem: Error) => {
        // The end of the session has a dialog of its own.
        if (!left.signal.aborted && !(problem instanceof SessionEndedError))
          setKnown((last) => ({ ...last, problem }))
      },
    )
    return () => left.abort()
  }, [key, turn, isSignedIn])
  useRetry(known.problem, reload)
  const names = resources.join()
  useEffect(() => reloadWhenDue(api.onChange, resources, reload), [api, names, reload])
  return { value: known.value, isStale: known.key !== key, problem: known.problem, reload }
}

/** Runs periodically while the page is visible, for data without a live listing. */
export function useEvery(milliseconds: number, run: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || run(), milliseconds)
    return () => clearInterval(timer)
  }, [milliseconds])
}
