import { useCallback, useRef } from 'preact/hooks'

/** Returns the same function at each rendering, so that memoized children are not rendered again. */
export function useStableCallback<Arguments extends unknown[]>(run: (...parameters: Arguments) => void) {
  const latest = useRef(run)
  latest.current = run
  return useCallback((...parameters: Arguments) => latest.current(...parameters), [])
}
