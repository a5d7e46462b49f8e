import { useMemo } from 'preact/hooks'
import { useAllRows } from '../../data/use-live.ts'
import { useProjectDependencies } from '../../data/use-project-dependencies.ts'
import { t, tn } from '../../texts/text.ts'
import { formatAge } from '../../time/days.ts'

/** Maps each assignment that is blocked by an impediment, or waits for others, to a text that says so. */
export type BlockedTexts = ReadonlyMap<string, string>

/** Finished work is not blocked. Without a project nothing is loaded. */
export function useBlocked(projectId: string | undefined, doneIds: ReadonlySet<string>, onlyNewest = false) {
  const impediments = useAllRows('assignmentImpediment', projectId === undefined ? undefined : {}, {
    live: true,
  })
  const { blockers } = useProjectDependencies(projectId, doneIds, onlyNewest)
  const texts = useMemo((): BlockedTexts => {
    const waiting = [...blockers].map(([id, some]) => {
      const values = { name: some[0]?.name ?? '' }
      return [id, tn(some.length, 'Waits for {name}', 'Waits for {count} assignments', values)] as const
    })
    const blocked = impediments.rows.map(
      ({ assignmentId, createdAt }) =>
        [assignmentId, t('Blocked {age}', { age: formatAge(createdAt) })] as const,
    )
    return new Map([...waiting, ...blocked])
  }, [blockers, impediments.rows])
  return { texts, blockers }
}
