import { useEffect, useState } from 'preact/hooks'
import { createEvents, type Events } from '../../api/events.ts'
import { useServices } from '../../services/services.ts'
import type { RemovedRow } from './removed-rows.ts'

/** Each is a request of its own, so the newest ones only. */
const rowsAsked = 40
/** One after the other in two lines: the list itself needs connections. */
const parallelMax = 2

/** Who has removed what, as the history has it; by the id of the row, and found out little by little. */
export function useRemovers(rows: readonly RemovedRow[]): ReadonlyMap<string, string> {
  const { send } = useServices()
  const [removers, setRemovers] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    const left = new AbortController()
    const waiting = rows.slice(0, rowsAsked).filter(({ id }) => !removers.has(id))
    const events = createEvents(send)
    const work = async () => {
      for (let row = waiting.shift(); row !== undefined && !left.signal.aborted; row = waiting.shift()) {
        const [id, callerId] = [row.id, await findRemover(events, row, left.signal)]
        if (callerId) setRemovers((all) => new Map(all).set(id, callerId))
      }
    }
    for (let line = 0; line < parallelMax; line += 1) void work()
    return () => left.abort()
  }, [send, rows])
  return removers
}

/** Nobody where the history is not for this reader, or its newest line is not the removal. */
async function findRemover(
  events: Events,
  { id, resource }: RemovedRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { data } = await events.history({ resource, id, pageSize: 1 }, signal)
    return data[0]?.action === 'remove' ? (data[0].callerId ?? undefined) : undefined
  } catch {
    return undefined
  }
}
