import type { Caller, Input, Kind, Row } from './driver.ts'
import type { Tracker } from './every-host.ts'
import { type Entity, resources } from './resources.ts'

export type Action = 'read' | 'create' | 'update' | 'remove' | 'restore'

/** An owner is a member whose own row it is; an outsider is signed in and no member. */
export type Who = 'administrator' | 'member' | 'owner' | 'outsider' | 'anonymous'

const ok: Kind = 'ok'
const no: Kind = 'forbidden'
const gone: Kind = 'missing'
const who: Kind = 'unauthenticated'

type Rights = Readonly<Partial<Record<Who, Record<Action, Kind>>>>

const rights = (...kinds: readonly [Kind, Kind, Kind, Kind, Kind]): Record<Action, Kind> => {
  const [read, create, update, remove, restore] = kinds
  return { read, create, update, remove, restore }
}

const administrator = rights(ok, ok, ok, ok, ok)
const anonymous = rights(who, who, who, who, who)
const outsider = rights(gone, no, gone, gone, gone)

/** All users read, administrators write. */
const catalog: Rights = { administrator, outsider: rights(ok, no, no, no, no), anonymous }
const administratorsOnly: Rights = { administrator, outsider: rights(no, no, no, no, no), anonymous }
/** Members read and write what is in their projects. */
const members: Rights = { administrator, member: rights(ok, ok, ok, ok, ok), outsider, anonymous }
/** Members read what is in their projects, and write what is their own. */
const owners: Rights = { ...members, owner: rights(ok, ok, ok, ok, ok), member: rights(ok, no, no, no, no) }

/** The same two for an extension, where no response reveals that a project or an assignment exists. */
const unseenOutsider = rights(gone, 'invalid', gone, gone, gone)
const membersOfExtension: Rights = { ...members, outsider: unseenOutsider }
const ownersOfExtension: Rights = { ...owners, outsider: unseenOutsider }

/** Only the owner can see it. */
const own: Rights = { administrator, owner: rights(ok, ok, ok, ok, ok), outsider, anonymous }

/** Who may do what: said here once more, by hand, and never derived from what a declaration says. */
const rightsOf: Readonly<Record<Entity, Rights>> = {
  organization: catalog,
  workflow: catalog,
  assignmentType: catalog,
  impediment: catalog,
  user: administratorsOnly,
  project: { ...members, outsider: rights(gone, ok, gone, gone, gone) },
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
  savedView: own,
  projectView: ownersOfExtension,
}

const entitiesWith = (...kinds: readonly Rights[]): Entity[] =>
  (Object.keys(rightsOf) as Entity[]).filter((entity) => kinds.includes(rightsOf[entity]))

/** Read and written by administrators only. */
export const administrated = entitiesWith(catalog, administratorsOnly)
/** In a project, which it may leave for another one. */
export const inProject = entitiesWith(members, owners, membersOfExtension, ownersOfExtension)
export const owned = entitiesWith(owners, ownersOfExtension)
const hasOwner = entitiesWith(owners, ownersOfExtension, own)
/** Where an unseen project or assignment is answered like one that is not there. */
export const unseen = entitiesWith(membersOfExtension, ownersOfExtension)

/** Resource, person, and what becomes of read, create, update, remove, restore. */
export const matrix: readonly (readonly [Entity, Who, Record<Action, Kind>])[] = (
  Object.entries(rightsOf) as [Entity, Rights][]
).flatMap(([entity, people]) =>
  (Object.entries(people) as [Who, Record<Action, Kind>][]).map(
    ([person, kinds]) => [entity, person, kinds] as const,
  ),
)

export interface Scene {
  readonly people: Readonly<Record<Who, Caller>>
  /** A row of the resource for one test to change. */
  make(): Promise<Row>
  /** A good body of such a row. */
  valid(): Promise<Input>
}

/** The people of the matrix, and a project with their memberships. */
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
    ...(hasOwner.includes(entity) && { userId: owner.id }),
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
