/** The first screen after signing in. */
export const homePath = '/my-work'

/** Addresses of a project and what is open over it; the filters go along. */
export const projectPath = (projectId: string, query = ''): string => `/projects/${projectId}${query}`

export const assignmentPath = (projectId: string, assignmentId: string, query = ''): string =>
  `/projects/${projectId}/assignments/${assignmentId}${query}`
