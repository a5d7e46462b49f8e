import { useEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { useListing } from '../data/use-listing.ts'

type Assignment = RecordOf<'assignment'>

/** One assignment as it is this second; the last known one where it was removed meanwhile. */
export function useAssignment(id: string) {
  const listing = useListing('assignment', { ids: id }, { live: true })
  const [own, setOwn] = useState<Assignment>()
  const [last, setLast] = useState<Assignment>()
  const stored = listing.rows[0]
  useEffect(() => {
    if (stored !== undefined) setLast(stored)
  }, [stored])
  const changedAt = (row: Assignment | undefined) => row?.updatedAt ?? row?.createdAt ?? ''
  const newest = changedAt(own) > changedAt(stored ?? last) ? own : (stored ?? last)
  return {
    assignment: newest,
    isGone: !listing.isLoading && listing.problem === undefined && stored === undefined,
    problem: listing.problem,
    /** What was just saved, before the listing tells of it. */
    put: setOwn,
    reload: listing.reload,
  }
}
