import { useEffect, useState } from 'preact/hooks'
import type { Tracker } from '#tracker-client'
import { findByKey } from '../api/assignment-key.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'

type Found = Awaited<ReturnType<typeof findByKey>>

const found = new Map<string, Promise<Found>>()
/** A text can contain thousands of keys. Later ones stay plain text until the page is loaded again. */
const keysMax = 100
/** Keys are looked up one after the other, so that a long text does not delay other requests. */
let lastLookup: Promise<unknown> = Promise.resolve()

function lookUp(tracker: Tracker, key: string): Promise<Found> {
  const known = found.get(key)
  if (known !== undefined) return known
  if (found.size >= keysMax) return Promise.resolve(undefined)
  const lookup = lastLookup.then(() => findByKey(tracker, key))
  found.set(key, lookup)
  lastLookup = lookup.catch(() => found.delete(key))
  return lookup
}

/** Links the key of an assignment, with its name on hover. Other texts that look like keys stay texts. */
export function KeyLink({ text }: { readonly text: string }) {
  const { configuration, tracker } = useServices()
  const [assignment, setAssignment] = useState<Found>()
  useEffect(() => {
    if (!configuration.extensions) return
    let isCurrent = true
    lookUp(tracker, text).then(
      (result) => isCurrent && setAssignment(result),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [text])
  if (assignment === undefined) return <>{text}</>
  return (
    <a href={assignmentPath(assignment.projectId, assignment.id)} title={assignment.name}>
      {text}
    </a>
  )
}
