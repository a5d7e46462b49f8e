/** Small tables that nearly every statement reads: every node has all of their rows. Tables that others refer to come first. */
export const everywhere = [
  'organizations',
  'assignment_types',
  'workflows',
  'impediments',
  'users',
  'projects',
  'user_projects',
] as const

export const isEverywhere = (table: string): boolean => (everywhere as readonly string[]).includes(table)

/** What belongs to an assignment lies on the node that has it. */
export const withAssignment = [
  'appointments',
  'assignment_impediments',
  'user_assignments',
  'comments',
] as const

/** `distribute` makes these: the places of the rows there are, and a table that is never filled. */
export const ownTables = ['row_places', 'two_phase_commits'] as const

/** The column whose value says on which node a row lies; its rows can be found on one node by it and nothing else. */
export const placeColumnOf = (table: string): 'assignment_id' | undefined =>
  (withAssignment as readonly string[]).includes(table) ? 'assignment_id' : undefined
