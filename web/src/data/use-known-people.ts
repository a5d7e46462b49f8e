import { useEffect, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'

/** Whether the names of these people are there, or cannot be had. Those of later ones, whom a change brings, are not waited for. */
export function useKnownPeople(ids: readonly string[], isComplete: boolean): boolean {
  const { people } = useServices()
  const [areKnown, setKnown] = useState(false)
  useEffect(() => {
    if (isComplete) void people.known(ids).then(() => setKnown(true))
  }, [isComplete, ids.length])
  return isComplete && (areKnown || ids.every((id) => people.findName(id) !== undefined))
}
