import { useMemo } from 'preact/hooks'
import { useAllRows } from '../../data/use-live.ts'
import { useProjectDependencies } from '../../data/use-project-dependencies.ts'
import { t, tn } from '../../texts/text.ts'
import { formatAge } from '../../time/days.ts'

/** The reason why an assignment cannot continue. */
export interface BlockReason {
  /** True if it waits for another assignment, false if it is blocked by an impediment. */
  readonly isWaiting: boolean
  /** A sentence such as "Blocked since today". */
  readonly text: string
}

/** Maps the ids of blocked assignments to the reasons. */
export type BlockReasons = ReadonlyMap<string, BlockReason>

/** Loads the impediments and dependencies of a project, if its id is given. Finished work blocks nothing. */
export function useBlocked(
  projectId: string | undefined,
  doneStageIds: ReadonlySet<string>,
  onlyNewest = false,
) {
  const impediments = useAllRows('assignmentImpediment', projectId === undefined ? undefined : {}, {
    live: true,
  })
  const { blockers } = useProjectDependencies(projectId, doneStageIds, onlyNewest)
  const blockReasons = useMemo((): BlockReasons => {
    const waiting = [...blockers].map(([id, blocking]): [string, BlockReason] => {
      const values = { name: blocking[0]?.name ?? '' }
      const text = tn(blocking.length, 'Waits for {name}', 'Waits for {count} assignments', values)
      return [id, { isWaiting: true, text }]
    })
    const blocked = impediments.rows.map(({ assignmentId, createdAt }): [string, BlockReason] => [
      assignmentId,
      { isWaiting: false, text: t('Blocked {age}', { age: formatAge(createdAt) }) },
    ])
    return new Map([...waiting, ...blocked])
  }, [blockers, impediments.rows])
  return { blockReasons, blockers }
}
