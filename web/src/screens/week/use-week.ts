import { useRef } from 'preact/hooks'
import type { AllLoaded } from '../../api/load-all.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { type Appointment, entriesOfWeek, rowsOfWeek, type WeekRows } from './week.ts'

export interface Week {
  readonly monday: string
  readonly entries: AllLoaded<Appointment>
  readonly rows: WeekRows
}

/** A person's week. The last whole one stays until the next one is there, so that nothing jumps. */
export function useWeek(userId: string, monday: string, addedIds: readonly string[]) {
  const { api } = useServices()
  const entries = useLoaded(`${userId} ${monday}`, ['appointment'], async (signal) => ({
    monday,
    loaded: await entriesOfWeek(api, userId, monday, signal),
  }))
  const loaded = entries.value
  const bookedIds = loaded?.loaded.rows.map(({ assignmentId }) => assignmentId) ?? []
  const wantedIds = [...new Set([...bookedIds, ...addedIds])].sort()
  const rows = useLoaded(
    `${userId} ${loaded?.monday} ${wantedIds}`,
    ['assignment', 'userAssignment', 'project'],
    async (signal) =>
      loaded && {
        monday: loaded.monday,
        loaded: await rowsOfWeek(api, userId, loaded.monday, wantedIds, signal),
      },
  )
  const last = useRef<Week>(undefined)
  if (loaded !== undefined && rows.value?.monday === loaded.monday)
    last.current = { monday: loaded.monday, entries: loaded.loaded, rows: rows.value.loaded }
  const reload = () => {
    entries.reload()
    rows.reload()
  }
  return { week: last.current, problem: entries.problem ?? rows.problem, reload }
}
