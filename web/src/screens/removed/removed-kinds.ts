import type { ResourceName } from '../../api/api.ts'
import { listRoutes } from '../../api/types.ts'

export interface RemovedKind {
  readonly resource: ResourceName
  readonly label: string
  /** Only they may restore it. */
  readonly administratorsOnly?: boolean
}

/** Everything that can be removed, what people remove most often first. */
export const removedKinds: readonly RemovedKind[] = [
  { resource: 'project', label: 'Projects' },
  { resource: 'assignment', label: 'Assignments' },
  { resource: 'appointment', label: 'Time' },
  { resource: 'assignmentImpediment', label: 'Impediments' },
  { resource: 'userProject', label: 'Memberships' },
  { resource: 'userAssignment', label: 'Participants' },
  { resource: 'organization', label: 'Organizations', administratorsOnly: true },
  { resource: 'user', label: 'Users', administratorsOnly: true },
  { resource: 'workflow', label: 'Stages', administratorsOnly: true },
  { resource: 'assignmentType', label: 'Types', administratorsOnly: true },
  { resource: 'impediment', label: 'Impediment kinds', administratorsOnly: true },
]

export const pathOf = ({ resource }: RemovedKind): string => `/removed/${listRoutes[resource]}`
