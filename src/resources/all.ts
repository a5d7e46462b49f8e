import type { Reference } from '../model/field.ts'
import { assignment, userAssignment } from './assignment.ts'
import { assignmentDependency } from './assignment-dependency.ts'
import { appointment, assignmentImpediment, attachment, comment } from './assignment-records.ts'
import { assignmentType, impediment, organization, workflow } from './catalogs.ts'
import { checkDeclarations } from './check-declarations.ts'
import type { Resource } from './define-resource.ts'
import { assignmentLabel, label } from './label.ts'
import { project, projectStage, userProject } from './project.ts'
import { user } from './user.ts'
import { projectView, savedView } from './views.ts'

const declarations = [
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
  projectStage,
  comment,
  label,
  assignmentLabel,
  assignmentDependency,
  attachment,
  savedView,
  projectView,
] as const

/** Parents come before their children: rows of several tables are locked in this order. */
export const resources: readonly Resource[] = withKnownReferences(declarations)

checkDeclarations(resources)

/** The union of all declarations, with their literal names and fields. */
export type DeclaredResource = (typeof declarations)[number]

export const resourceNames: readonly string[] = resources.map(({ name }) => name)

export function resourceNamed(name: string): Resource {
  const resource = resources.find((candidate) => candidate.name === name)
  if (!resource) throw new Error(`No resource is named ${name}.`)
  return resource
}

type TargetOf<F> = {
  [K in keyof F]: F[K] extends { readonly references: Reference<infer Target> } ? Target : never
}[keyof F]

type TargetsOf<R> = R extends Resource ? TargetOf<R['fields']> : never

/** If a reference names an unknown resource, the compiler reports this text. */
type OnlyKnownNames<All extends readonly Resource[], Unknown extends string> = [Unknown] extends [never]
  ? All
  : `No resource is named ${Unknown}.`

export function withKnownReferences<const All extends readonly Resource[]>(
  all: OnlyKnownNames<All, Exclude<TargetsOf<All[number]>, All[number]['name']>>,
): readonly Resource[] {
  return all as All
}
