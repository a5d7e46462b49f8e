import type { Caller, Input, Kind, Row } from './driver.ts'
import type { Tracker } from './every-host.ts'
import { type Entity, resources } from './resources.ts'

export type Action = 'read' | 'create' | 'update' | 'remove' | 'restore'

/** An owner is a member whose own appointment it is; an outsider is signed in and no member. */
export type Who = 'administrator' | 'member' | 'owner' | 'outsider' | 'anonymous'

const ok: Kind = 'ok'
const no: Kind = 'forbidden'
const gone: Kind = 'missing'
const who: Kind = 'unauthenticated'

type Line = readonly [Entity, Who, Record<Action, Kind>]

const line = (entity: Entity, person: Who, ...kinds: readonly [Kind, Kind, Kind, Kind, Kind]): Line => {
  const [read, create, update, remove, restore] = kinds
  return [entity, person, { read, create, update, remove, restore }]
}

/** Resource, person, and what becomes of read, create, update, remove, restore. */
export const matrix: readonly Line[] = [
  line('organization', 'administrator', ok, ok, ok, ok, ok),
  line('organization', 'outsider', ok, no, no, no, no),
  line('organization', 'anonymous', who, who, who, who, who),
  line('workflow', 'administrator', ok, ok, ok, ok, ok),
  line('workflow', 'outsider', ok, no, no, no, no),
  line('workflow', 'anonymous', who, who, who, who, who),
  line('assignmentType', 'administrator', ok, ok, ok, ok, ok),
  line('assignmentType', 'outsider', ok, no, no, no, no),
  line('assignmentType', 'anonymous', who, who, who, who, who),
  line('impediment', 'administrator', ok, ok, ok, ok, ok),
  line('impediment', 'outsider', ok, no, no, no, no),
  line('impediment', 'anonymous', who, who, who, who, who),

  line('user', 'administrator', ok, ok, ok, ok, ok),
  line('user', 'outsider', no, no, no, no, no),
  line('user', 'anonymous', who, who, who, who, who),

  line('project', 'administrator', ok, ok, ok, ok, ok),
  line('project', 'member', ok, ok, ok, ok, ok),
  line('project', 'outsider', gone, ok, gone, gone, gone),
  line('project', 'anonymous', who, who, who, who, who),

  line('assignment', 'administrator', ok, ok, ok, ok, ok),
  line('assignment', 'member', ok, ok, ok, ok, ok),
  line('assignment', 'outsider', gone, no, gone, gone, gone),
  line('assignment', 'anonymous', who, who, who, who, who),
  line('userProject', 'administrator', ok, ok, ok, ok, ok),
  line('userProject', 'member', ok, ok, ok, ok, ok),
  line('userProject', 'outsider', gone, no, gone, gone, gone),
  line('userProject', 'anonymous', who, who, who, who, who),

  line('appointment', 'administrator', ok, ok, ok, ok, ok),
  line('appointment', 'owner', ok, ok, ok, ok, ok),
  line('appointment', 'member', ok, no, no, no, no),
  line('appointment', 'outsider', gone, no, gone, gone, gone),
  line('appointment', 'anonymous', who, who, who, who, who),
  line('assignmentImpediment', 'administrator', ok, ok, ok, ok, ok),
  line('assignmentImpediment', 'member', ok, ok, ok, ok, ok),
  line('assignmentImpediment', 'outsider', gone, no, gone, gone, gone),
  line('assignmentImpediment', 'anonymous', who, who, who, who, who),
  line('userAssignment', 'administrator', ok, ok, ok, ok, ok),
  line('userAssignment', 'member', ok, ok, ok, ok, ok),
  line('userAssignment', 'outsider', gone, no, gone, gone, gone),
  line('userAssignment', 'anonymous', who, who, who, who, who),
]

export interface Scene {
  readonly people: Readonly<Record<Who, Caller>>
  /** A row of the resource for one test to change. */
  make(): Promise<Row>
  /** A good body of such a row. */
  valid(): Promise<Input>
}

/** Everybody the matrix speaks of, and a project in which they have their parts. */
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
    ...(entity === 'appointment' && { userId: owner.id }),
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
