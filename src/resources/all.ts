import { appointment } from './appointment.ts'
import { assignment } from './assignment.ts'
import { assignmentImpediment } from './assignment-impediment.ts'
import { assignmentType } from './assignment-type.ts'
import type { Resource } from './define-resource.ts'
import { impediment } from './impediment.ts'
import { organization } from './organization.ts'
import { project } from './project.ts'
import { user } from './user.ts'
import { userAssignment } from './user-assignment.ts'
import { userProject } from './user-project.ts'
import { workflow } from './workflow.ts'

const declared = [
  organization,
  workflow,
  assignmentType,
  impediment,
  user,
  project,
  assignment,
  appointment,
  assignmentImpediment,
  userAssignment,
  userProject,
] as const

/** Parents stand before their children: whoever locks rows of several tables does it in this order. */
export const resources: readonly Resource[] = declared

/** The same for the compiler, name by name and field by field. */
export type DeclaredResource = (typeof declared)[number]

export function resourceNamed(name: string): Resource {
  const resource = resources.find((candidate) => candidate.name === name)
  if (!resource) throw new Error(`No resource is named ${name}.`)
  return resource
}
