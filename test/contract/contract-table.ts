import type { DeclaredResource } from '../../src/resources/all.ts'

/** Describes one resource for the tests. */
export interface Resource {
  readonly root: '/api' | '/ext'
  /** The last part of the list route. Messages use it as the plural. */
  readonly list: string
  /** The fields of a record in addition to the common ones. */
  readonly own: readonly string[]
  /** Fields that are required on create. References are always required. */
  readonly required: readonly string[]
  readonly references: Readonly<Record<string, Entity>>
  /** The references whose rows stay when the row they refer to is removed. */
  readonly staying: readonly string[]
  /** The references that default to the caller on create. */
  readonly byCaller: readonly string[]
  /** The fields that the server sets. A resource with such fields has its own route for creating rows. */
  readonly byServer: readonly string[]
  readonly searched: readonly string[]
  readonly filters: readonly string[]
  /** The greatest number of characters in each text field. */
  readonly lengths: Readonly<Record<string, number>>
  /** The least and the greatest value of number fields with a narrow range. */
  readonly ranges: Readonly<Record<string, { readonly least: number; readonly most: number }>>
  /** A valid body, without the references. */
  readonly sample: Readonly<Record<string, unknown>>
}

export type Entity = DeclaredResource['name']

export type ContractEntity = Extract<DeclaredResource, { readonly edition: 'v1' }>['name']

type Line = Omit<Resource, 'root' | 'staying' | 'byCaller' | 'byServer' | 'lengths' | 'ranges'> &
  Partial<Pick<Resource, 'ranges'>>

/** The contract's tables, written by hand from the contract, and never derived from the declarations. */
const lines: Readonly<Record<ContractEntity, Line>> = {
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
      'name',
      'description',
      'startDate',
      'endDate',
      'amountHours',
      'projectId',
      'workflowId',
      'userId',
      'assignmentTypeId',
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

const charactersMax: Readonly<Record<string, number>> = { name: 200, description: 2000, login: 256 }

export const contractTable = Object.fromEntries(
  Object.entries(lines).map(([name, line]): [string, Resource] => [
    name,
    {
      ranges: {},
      ...line,
      root: '/api',
      staying: [],
      byCaller: [],
      byServer: [],
      lengths: Object.fromEntries(
        line.own.flatMap((field) =>
          field in charactersMax ? [[field, charactersMax[field] as number]] : [],
        ),
      ),
    },
  ]),
) as Readonly<Record<ContractEntity, Resource>>

/** Links that are removed and restored together with a parent. */
export const contractLinks = [
  { parent: 'user', link: 'userProject', column: 'userId', otherColumn: 'projectId' },
  { parent: 'user', link: 'userAssignment', column: 'userId', otherColumn: 'assignmentId' },
  { parent: 'project', link: 'userProject', column: 'projectId', otherColumn: 'userId' },
  { parent: 'assignment', link: 'userAssignment', column: 'assignmentId', otherColumn: 'userId' },
] as const
