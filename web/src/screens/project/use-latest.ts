import { useMemo, useRef } from 'preact/hooks'

/** The same function for as long as the component lives, so that what was drawn with it need not be drawn again. */
export function useLatest<Arguments extends unknown[]>(run: (...given: Arguments) => void) {
  const latest = useRef(run)
  latest.current = run
  return useMemo(
    () =>
      (...given: Arguments) =>
        latest.current(...given),
    [],
  )
}
