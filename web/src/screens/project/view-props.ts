import type { RecordOf } from '../../api/api.ts'
import type { Connection } from '../../api/live-listing.ts'
import type { Filters } from './filters.ts'

/** As the address has it; the board is what an address without one means. */
export type ViewName = 'board' | 'list' | 'calendar' | 'timeline'

/** What every view of a project is given. */
export interface ProjectViewProps {
  readonly scope: {
    readonly projectId: string
    readonly stages: readonly RecordOf<'workflow'>[]
    readonly doneId: string | undefined
  }
  readonly filters: Filters
  readonly openId: string | undefined
  /** Of the address, so that links keep view and filters. */
  readonly query: string
  onConnection(connection: Connection): void
}
