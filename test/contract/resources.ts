/** The contract's tables about the eleven resources, as the tests read them. */
export interface Resource {
  /** The list route; also how sentences name the resource. */
  readonly list: string
  /** The fields of a record besides the common ones. */
  readonly own: readonly string[]
  /** Required on create, besides the references, which are required everywhere. */
  readonly required: readonly string[]
  readonly references: Readonly<Record<string, Entity>>
  readonly searched: readonly string[]
  readonly filters: readonly string[]
  /** A good body, without the references. */
  readonly sample: Readonly<Record<string, unknown>>
}

export type Entity =
  | 'appointment'
  | 'assignment'
  | 'assignmentImpediment'
  | 'assignmentType'
  | 'impediment'
  | 'organization'
  | 'project'
  | 'user'
  | 'userAssignment'
  | 'userProject'
  | 'workflow'

export const resources: Readonly<Record<Entity, Resource>> = {
  appointment: {
    list: 'appointments',
    own: ['description', 'keepDate', 'amountHours', 'assignmentId', 'userId'],
    required: ['keepDate', 'amountHours'],
    references: { assignmentId: 'assignment', userId: 'user' },
    searched: ['description'],
    filters: ['assignmentId', 'userId', 'dateFrom', 'dateTo'],
    sample: { keepDate: '2026-03-02T09:00:00Z', amountHours: 2 },
  },
  assignment: {
    list: 'assignments',
    own: [
      ...['name', 'description', 'startDate', 'endDate', 'amountHours'],
      ...['projectId', 'workflowId', 'userId', 'assignmentTypeId'],
    ],
    required: ['name', 'startDate', 'endDate', 'amountHours'],
    references: {
      projectId: 'project',
      workflowId: 'workflow',
      userId: 'user',
      assignmentTypeId: 'assignmentType',
    },
    searched: ['name', 'description'],
    filters: ['projectId', 'userId', 'workflowId', 'dateFrom', 'dateTo'],
    sample: { name: 'Lay the cables', startDate: '2026-03-01', endDate: '2026-03-31', amountHours: 8 },
  },
  assignmentImpediment: {
    list: 'assignmentImpediments',
    own: ['description', 'assignmentId', 'impedimentId'],
    required: [],
    references: { assignmentId: 'assignment', impedimentId: 'impediment' },
    searched: ['description'],
    filters: ['assignmentId'],
    sample: {},
  },
  assignmentType: {
    list: 'assignmentTypes',
    own: ['name'],
    required: ['name'],
    references: {},
    searched: ['name'],
    filters: [],
    sample: { name: 'Installation' },
  },
  impediment: {
    list: 'impediments',
    own: ['name'],
    required: ['name'],
    references: {},
    searched: ['name'],
    filters: [],
    sample: { name: 'Waiting for parts' },
  },
  organization: {
    list: 'organizations',
    own: ['name', 'description'],
    required: ['name'],
    references: {},
    searched: ['name', 'description'],
    filters: [],
    sample: { name: 'Harbour works' },
  },
  project: {
    list: 'projects',
    own: ['name', 'organizationId'],
    required: ['name'],
    references: { organizationId: 'organization' },
    searched: ['name'],
    filters: ['organizationId'],
    sample: { name: 'New pier' },
  },
  user: {
    list: 'users',
    own: ['name', 'login'],
    required: ['name', 'login', 'password'],
    references: {},
    searched: ['name', 'login'],
    filters: [],
    sample: { name: 'Grace', password: 'Secret-123' },
  },
  userAssignment: {
    list: 'userAssignments',
    own: ['userId', 'assignmentId'],
    required: [],
    references: { userId: 'user', assignmentId: 'assignment' },
    searched: [],
    filters: ['userId', 'assignmentId'],
    sample: {},
  },
  userProject: {
    list: 'userProjects',
    own: ['userId', 'projectId'],
    required: [],
    references: { userId: 'user', projectId: 'project' },
    searched: [],
    filters: ['userId', 'projectId'],
    sample: {},
  },
  workflow: {
    list: 'workflows',
    own: ['name', 'order'],
    required: ['name', 'order'],
    references: {},
    searched: ['name'],
    filters: [],
    sample: { name: 'In progress', order: 3 },
  },
}

export const entities = Object.keys(resources) as Entity[]

export const commonFields = ['id', 'createdAt', 'updatedAt', 'deletedAt', 'active']

/** Every column of the table that points at another one, with the resource it points at. */
export const references = entities.flatMap((entity) =>
  Object.entries(resources[entity].references).map(([column, parent]) => ({ entity, column, parent })),
)

/** The rows that go with a parent of theirs, and come back with it. */
export const links: readonly { parent: Entity; link: Entity; column: string; otherColumn: string }[] = [
  { parent: 'user', link: 'userProject', column: 'userId', otherColumn: 'projectId' },
  { parent: 'user', link: 'userAssignment', column: 'userId', otherColumn: 'assignmentId' },
  { parent: 'project', link: 'userProject', column: 'projectId', otherColumn: 'userId' },
  { parent: 'assignment', link: 'userAssignment', column: 'assignmentId', otherColumn: 'userId' },
]

export const requiredOnCreate = (entity: Entity): string[] => [
  ...resources[entity].required,
  ...Object.keys(resources[entity].references),
]

export const pascalCase = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** As the names of tests write it: an appointment, a project. */
export const a = (entity: Entity) => `${/^[aio]/.test(entity) ? 'an' : 'a'} ${entity}`
