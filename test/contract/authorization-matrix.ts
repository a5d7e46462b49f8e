import type { Caller, Input, Kind, Row } from './driver.ts'
import type { Tracker } from './every-host.ts'
import { type Entity, resources } from './resources.ts'

export type Action = 'read' | 'create' | 'update' | 'remove' | 'restore'

/** An owner is a member to whom the row belongs. An outsider is signed in, but is not a member. */
export type Who = 'administrator' | 'member' | 'owner' | 'outsider' | 'anonymous'

const ok: Kind = 'ok'
const forbidden: Kind = 'forbidden'
const missing: Kind = 'missing'
const unauthenticated: Kind = 'unauthenticated'

type Outcomes = Readonly<Record<Action, Kind>>
type Rights = Readonly<Partial<Record<Who, Outcomes>>>

/** Returns the outcomes of the five actions, in this order. */
const rights = (read: Kind, create: Kind, update: Kind, remove: Kind, restore: Kind): Outcomes => ({
  read,
  create,
  update,
  remove,
  restore,
})

const administrator = rights(ok, ok, ok, ok, ok)
const anonymous = rights(unauthenticated, unauthenticated, unauthenticated, unauthenticated, unauthenticated)
const outsider = rights(missing, forbidden, missing, missing, missing)

/** All users read, administrators write. */
const catalog: Rights = {
  administrator,
  outsider: rights(ok, forbidden, forbidden, forbidden, forbidden),
  anonymous,
}
const administratorsOnly: Rights = {
  administrator,
  outsider: rights(forbidden, forbidden, forbidden, forbidden, forbidden),
  anonymous,
}
/** Members read and write what is in their projects. */
const members: Rights = { administrator, member: rights(ok, ok, ok, ok, ok), outsider, anonymous }
/** Members read what is in their projects, and write what is their own. */
const owners: Rights = {
  ...members,
  owner: rights(ok, ok, ok, ok, ok),
  member: rights(ok, forbidden, forbidden, forbidden, forbidden),
}

/** Responses of extensions never reveal to an outsider that a project or an assignment exists. */
const unseenOutsider = rights(missing, 'invalid', missing, missing, missing)
const membersOfExtension: Rights = { ...members, outsider: unseenOutsider }
const ownersOfExtension: Rights = { ...owners, outsider: unseenOutsider }

/** Besides administrators, only the owner can see the row. */
const ownerOnly: Rights = { administrator, owner: rights(ok, ok, ok, ok, ok), outsider, anonymous }

/**
 * The rights of each role. They are written by hand, and not derived from the declarations that they check.
 */
const rightsOf: Readonly<Record<Entity, Rights>> = {
  organization: catalog,
  workflow: catalog,
  assignmentType: catalog,
  impediment: catalog,
  user: administratorsOnly,
  project: { ...members, outsider: rights(missing, ok, missing, missing, missing) },
  assignment: members,
  userProject: members,
  appointment: owners,
  assignmentImpediment: members,
  userAssignment: members,
  projectStage: membersOfExtension,
  comment: ownersOfExtension,
  label: membersOfExtension,
  assignmentLabel: membersOfExtension,
  assignmentDependency: membersOfExtension,
  attachment: membersOfExtension,
  savedView: ownerOnly,
  projectView: ownersOfExtension,
}

const entitiesWith = (...kinds: readonly Rights[]): Entity[] =>
  (Object.keys(rightsOf) as Entity[]).filter((entity) => kinds.includes(rightsOf[entity]))

/** Resources that only administrators may write. */
export const administrated = entitiesWith(catalog, administratorsOnly)
/** Resources whose rows belong to a project and can be moved to another project. */
export const inProject = entitiesWith(members, owners, membersOfExtension, ownersOfExtension)
export const owned = entitiesWith(owners, ownersOfExtension)
const withOwner = entitiesWith(owners, ownersOfExtension, ownerOnly)
/** The resources that answer a request for a hidden project or assignment as if it did not exist. */
export const unseen = entitiesWith(membersOfExtension, ownersOfExtension)

interface MatrixLine {
  readonly entity: Entity
  readonly person: Who
  /** The outcome of each of the person's actions. */
  readonly outcomes: Outcomes
}

export const matrix: readonly MatrixLine[] = (Object.entries(rightsOf) as [Entity, Rights][]).flatMap(
  ([entity, people]) =>
    (Object.entries(people) as [Who, Outcomes][]).map(([person, outcomes]) => ({ entity, person, outcomes })),
)

export interface Scene {
  readonly people: Readonly<Record<Who, Caller>>
  /** Creates a row of the resource for one test. */
  make(): Promise<Row>
  /** Returns a valid body for such a row. */
  valid(): Promise<Input>
}

/** Creates the people of the matrix, and a project with their memberships. */
export async function scene(tracker: Tracker, entity: Entity): Promise<Scene> {
  const project = await tracker.make('project')
  const [member, owner, outsider, assignment] = await Promise.all([
    tracker.memberOf(project),
    tracker.memberOf(project),
    tracker.signUp(),
    tracker.make('assignment', { projectId: project.id }),
  ])
  const people = { administrator: tracker.administrator, member, owner, outsider, anonymous: undefined }
  const columns = Object.keys(resources[entity].references)
  const values = {
    ...(columns.includes('projectId') && { projectId: project.id }),
    ...(columns.includes('assignmentId') && { assignmentId: assignment.id }),
    ...(withOwner.includes(entity) && { userId: owner.id }),
  }
  return {
    people,
    valid: () => tracker.valid(entity, values),
    async make() {
      const row = await tracker.make(entity, values)
      if (entity === 'project') await tracker.make('userProject', { projectId: row.id, userId: member.id })
      return row
    },
  }
}
