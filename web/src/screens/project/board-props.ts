import type { RecordOf } from '../../api/api.ts'

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

export interface BoardProps {
  readonly projectId: string
  readonly stages: readonly Stage[]
  readonly doneId: string | undefined
  readonly assignments: readonly Assignment[]
  readonly types: readonly RecordOf<'assignmentType'>[]
  readonly blocks: readonly RecordOf<'assignmentImpediment'>[]
  readonly isStale: boolean
  readonly openId: string | undefined
  /** Of the address, so that links keep the filters. */
  readonly query: string
  /** A card that was just made or moved, to be brought into sight. */
  readonly revealed: string | undefined
  countOf(stageId: string): number
  hasMore(stageId: string): boolean
  onMore(stageId: string): void
  onMove(assignment: Assignment, stage: Stage): void
  onNew(assignment: Assignment): void
}
