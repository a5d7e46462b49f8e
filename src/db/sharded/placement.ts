/** Small tables that nearly every statement reads. They are replicated to every node. Parents come before children. */
export const referenceTables = [
  'organizations',
  'assignment_types',
  'workflows',
  'impediments',
  'users',
  'projects',
  'user_projects',
  'labels',
] as const

export const isReferenceTable = (table: string): boolean =>
  (referenceTables as readonly string[]).includes(table)

/** Rows that belong to an assignment are stored on its node. */
export const assignmentTables = [
  'appointments',
  'assignment_impediments',
  'user_assignments',
  'comments',
  'assignment_labels',
  'assignment_dependencies',
  'attachments',
] as const

/** References of such rows to a further assignment, which may be on another node, so no foreign key holds them. */
export const furtherReferences = [
  { table: 'assignment_dependencies', constraint: 'assignment_dependencies_blocked_by_id_fkey' },
  { table: 'assignment_addresses', constraint: 'assignment_addresses_assignment_id_fkey' },
  { table: 'assignments', constraint: 'assignments_parent_id_fkey' },
  { table: 'watches', constraint: 'watches_assignment_id_fkey' },
] as const

/** Tables that `distribute` creates: the places of all rows, and a table that always stays empty. */
export const ownTables = ['row_places', 'two_phase_commits'] as const

/** Returns the column that determines the node of a row. Statements with this column query a single node. */
export const placeColumnOf = (table: string): 'assignment_id' | undefined =>
  (assignmentTables as readonly string[]).includes(table) ? 'assignment_id' : undefined
