import type { ResourceName } from '../../api/api.ts'
import { listRoutes } from '../../api/types.ts'
import type { Text } from '../../texts/text.ts'

export interface RemovedKind {
  readonly resource: ResourceName
  readonly label: Text
  /** Only they may restore it. */
  readonly administratorsOnly?: boolean
}

type Kind = Omit<RemovedKind, 'resource'>

/** Everything that can be removed, what people remove most often first; a resource that is not here does not compile. */
const kinds: Readonly<Record<ResourceName, Kind>> = {
  project: { label: 'Projects' },
  assignment: { label: 'Assignments' },
  appointment: { label: 'Time' },
  comment: { label: 'Comments' },
  savedView: { label: 'Views' },
  projectView: { label: 'Shared views' },
  assignmentImpediment: { label: 'Impediments' },
  userProject: { label: 'Memberships' },
  userAssignment: { label: 'Participants' },
  organization: { label: 'Organizations', administratorsOnly: true },
  user: { label: 'Users', administratorsOnly: true },
  workflow: { label: 'Stages', administratorsOnly: true },
  assignmentType: { label: 'Types', administratorsOnly: true },
  impediment: { label: 'Impediment kinds', administratorsOnly: true },
}

export const removedKinds: readonly RemovedKind[] = Object.entries(kinds).map(([resource, kind]) => ({
  resource: resource as ResourceName,
  ...kind,
}))

export const pathOf = ({ resource }: RemovedKind): string => `/removed/${listRoutes[resource]}`
