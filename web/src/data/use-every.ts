import { useEffect } from 'preact/hooks'

/** Again and again, for what no live listing tells of and somebody is looking at. */
export function useEvery(milliseconds: number, run: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || run(), milliseconds)
    return () => clearInterval(timer)
  }, [milliseconds])
}
