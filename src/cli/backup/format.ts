import type { Applied } from '../../store/migrate.ts'
import type { Sequence, StoredTable } from './stored-tables.ts'

/** Raised when files of the version before can no longer be read. */
export const formatOfBackups = 'tracker backup 1'

/** The first record of a backup. After it each table has a record with its name, and its rows. */
export interface BackupHead {
  readonly format: string
  readonly madeAt: string
  readonly server: string
  readonly migrations: readonly Applied[]
  readonly tables: readonly StoredTable[]
  /** Of the data folder, without which some of the rows are worth nothing. */
  readonly files: Readonly<Record<string, string>>
}

/** The last one before the sum. */
export interface BackupEnd {
  readonly rows: Readonly<Record<string, number>>
  readonly sequences: readonly Sequence[]
}
