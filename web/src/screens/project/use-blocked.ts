import { useMemo } from 'preact/hooks'
import { useAllRows } from '../../data/use-live.ts'
import { useProjectDependencies } from '../../data/use-project-dependencies.ts'
import { t, tn } from '../../texts/text.ts'
import { formatAge } from '../../time/days.ts'

/** Why an assignment cannot continue. */
export interface Hindrance {
  /** True if it waits for another assignment, false if it is blocked by an impediment. */
  readonly isWaiting: boolean
  /** Such as "Blocked since today". */
  readonly text: string
}

/** The hindrances of assignments by id. */
export type Hindrances = ReadonlyMap<string, Hindrance>

/**
 * Loads the impediments and dependencies of a project; nothing without a project. Finished work blocks
 * nothing.
 */
export function useBlocked(projectId: string | undefined, doneIds: ReadonlySet<string>, onlyNewest = false) {
  const impediments = useAllRows('assignmentImpediment', projectId === undefined ? undefined : {}, {
    live: true,
  })
  const { blockers } = useProjectDependencies(projectId, doneIds, onlyNewest)
  const hindrances = useMemo((): Hindrances => {
    const waiting = [...blockers].map(([id, blocking]): [string, Hindrance] => {
      const values = { name: blocking[0]?.name ?? '' }
      const text = tn(blocking.length, 'Waits for {name}', 'Waits for {count} assignments', values)
      return [id, { isWaiting: true, text }]
    })
    const blocked = impediments.rows.map(({ assignmentId, createdAt }): [string, Hindrance] => [
      assignmentId,
      { isWaiting: false, text: t('Blocked {age}', { age: formatAge(createdAt) }) },
    ])
    return new Map([...waiting, ...blocked])
  }, [blockers, impediments.rows])
  return { hindrances, blockers }
}
