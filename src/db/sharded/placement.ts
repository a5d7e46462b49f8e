/** Small tables that nearly every statement reads, replicated to every node, parents before children. */
export const referenceTables = [
  'organizations',
  'assignment_types',
  'workflows',
  'impediments',
  'users',
  'projects',
  'user_projects',
] as const

export const isReferenceTable = (table: string): boolean =>
  (referenceTables as readonly string[]).includes(table)

/** Rows that belong to an assignment are stored on its node. */
export const withAssignment = [
  'appointments',
  'assignment_impediments',
  'user_assignments',
  'comments',
] as const

/** `distribute` creates these: the places of all rows, and a table that always stays empty. */
export const ownTables = ['row_places', 'two_phase_commits'] as const

/** The column that determines the node of a row, and the only one by which rows are found on one node. */
export const placeColumnOf = (table: string): 'assignment_id' | undefined =>
  (withAssignment as readonly string[]).includes(table) ? 'assignment_id' : undefined
