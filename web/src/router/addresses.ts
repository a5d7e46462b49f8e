/** Where one begins. */
export const homePath = '/projects'

/** Addresses of a board and what is open over it; the filters go along. */
export const boardPath = (projectId: string, query = ''): string => `/projects/${projectId}${query}`

export const assignmentPath = (projectId: string, assignmentId: string, query = ''): string =>
  `/projects/${projectId}/assignments/${assignmentId}${query}`
