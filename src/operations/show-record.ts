import type { Listed } from '../resources/define-resource.ts'
import type { Row } from '../store/rows.ts'

/** A stored row as every host shows it: its columns in their order, nulls written, never left out. */
export const showRecord = ({ columns }: Listed, row: Row): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map((name) => [name, row[name]]))
