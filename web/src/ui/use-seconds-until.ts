import { useEffect, useState } from 'preact/hooks'

/** Counts down to the moment; 0 when it has passed or there is none. */
export function useSecondsUntil(moment: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    if (moment === undefined) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= moment) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [moment])
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - now) / 1000))
}
