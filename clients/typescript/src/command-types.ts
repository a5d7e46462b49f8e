// Generated from the declarations of the resources by npm run contract; do not edit.

import type { Call, Failure, Outcome, Success } from './call.ts'

/** One organization, as it is stored. */
export interface Organization {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** Details. Text of at most 2000 characters. Null if there is none. */
  readonly description: string | null
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of organizations. */
export interface OrganizationPage {
  /** The rows of this page. */
  readonly data: readonly Organization[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one organization. */
export interface CreateOrganizationRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** Details. Text of at most 2000 characters. Optional. */
  readonly description?: string | null
}

/** Changes one organization. */
export interface UpdateOrganizationRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** Details. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly description?: string | null
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('description')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface OrganizationsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name or description contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
}

export type OrganizationResult =
  | (Success & { readonly organization: Organization })
  | (Failure & { readonly organization: null })

export type OrganizationsResult =
  | (Success & { readonly result: OrganizationPage })
  | (Failure & { readonly result: null })

/** One workflow, as it is stored. */
export interface Workflow {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The position among the stages, in ascending order. A whole number from 0 to 2147483647. */
  readonly order: number
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of workflows. */
export interface WorkflowPage {
  /** The rows of this page. */
  readonly data: readonly Workflow[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one workflow. */
export interface CreateWorkflowRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The position among the stages, in ascending order. A whole number from 0 to 2147483647. Required. */
  readonly order: number
}

/** Changes one workflow. */
export interface UpdateWorkflowRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The position among the stages, in ascending order. A whole number from 0 to 2147483647. Required. */
  readonly order: number
}

/** Selects, sorts and pages the rows of a list. */
export interface WorkflowsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
}

export type WorkflowResult =
  | (Success & { readonly workflow: Workflow })
  | (Failure & { readonly workflow: null })

export type WorkflowsResult =
  | (Success & { readonly result: WorkflowPage })
  | (Failure & { readonly result: null })

/** One assignment type, as it is stored. */
export interface AssignmentType {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of assignment types. */
export interface AssignmentTypePage {
  /** The rows of this page. */
  readonly data: readonly AssignmentType[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one assignment type. */
export interface CreateAssignmentTypeRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
}

/** Changes one assignment type. */
export interface UpdateAssignmentTypeRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
}

/** Selects, sorts and pages the rows of a list. */
export interface AssignmentTypesKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
}

export type AssignmentTypeResult =
  | (Success & { readonly assignmentType: AssignmentType })
  | (Failure & { readonly assignmentType: null })

export type AssignmentTypesResult =
  | (Success & { readonly result: AssignmentTypePage })
  | (Failure & { readonly result: null })

/** One impediment, as it is stored. */
export interface Impediment {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of impediments. */
export interface ImpedimentPage {
  /** The rows of this page. */
  readonly data: readonly Impediment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one impediment. */
export interface CreateImpedimentRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
}

/** Changes one impediment. */
export interface UpdateImpedimentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
}

/** Selects, sorts and pages the rows of a list. */
export interface ImpedimentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
}

export type ImpedimentResult =
  | (Success & { readonly impediment: Impediment })
  | (Failure & { readonly impediment: null })

export type ImpedimentsResult =
  | (Success & { readonly result: ImpedimentPage })
  | (Failure & { readonly result: null })

/** One user, as it is stored. */
export interface User {
  /** Its id, a UUID. */
  readonly id: string
  /** The display name. Text of at most 200 characters. */
  readonly name: string
  /** The sign-in name, unique among active accounts regardless of case. Text of at most 256 characters. */
  readonly login: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of users. */
export interface UserPage {
  /** The rows of this page. */
  readonly data: readonly User[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one user. */
export interface CreateUserRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The display name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The sign-in name, unique among active accounts regardless of case. Text of at most 256 characters. Required. */
  readonly login: string
  /** The password, which no answer contains. 8 to 128 characters: a lower-case letter, an upper-case letter, a digit and another character among them, no control characters; no common password, and not the login. Required. */
  readonly password: string
}

/** Changes one user. */
export interface UpdateUserRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The display name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The sign-in name, unique among active accounts regardless of case. Text of at most 256 characters. If null or absent, it does not change. */
  readonly login?: string | null
  /** The password, which no answer contains. 8 to 128 characters: a lower-case letter, an upper-case letter, a digit and another character among them, no control characters; no common password, and not the login. If null or absent, it does not change. */
  readonly password?: string | null
}

/** Selects, sorts and pages the rows of a list. */
export interface UsersKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name or login contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
}

export type UserResult =
  | (Success & { readonly user: User })
  | (Failure & { readonly user: null })

export type UsersResult =
  | (Success & { readonly result: UserPage })
  | (Failure & { readonly result: null })

/** One project, as it is stored. */
export interface Project {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The organization that the project is for. A UUID. */
  readonly organizationId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of projects. */
export interface ProjectPage {
  /** The rows of this page. */
  readonly data: readonly Project[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one project. */
export interface CreateProjectRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The organization that the project is for. A UUID. Required. */
  readonly organizationId: string
}

/** Changes one project. */
export interface UpdateProjectRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The organization that the project is for. A UUID. Required. */
  readonly organizationId: string
  /** updatedAt of the version that was read, or its createdAt if that is null. If the project has changed since, the update fails: 409 over REST, `success: false` over commands. A timestamp in UTC. If null or absent, the last write wins. */
  readonly expectedVersion?: string | null
}

/** Selects, sorts and pages the rows of a list. */
export interface ProjectsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this OrganizationId. */
  readonly organizationId?: string
}

export type ProjectResult =
  | (Success & { readonly project: Project })
  | (Failure & { readonly project: null })

export type ProjectsResult =
  | (Success & { readonly result: ProjectPage })
  | (Failure & { readonly result: null })

/** One assignment, as it is stored. */
export interface Assignment {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The work to do, in Markdown. Text of at most 2000 characters. Null if there is none. */
  readonly description: string | null
  /** The start of the work. A timestamp in UTC. */
  readonly startDate: string
  /** The due date, which is on or after the start date. A timestamp in UTC. */
  readonly endDate: string
  /** The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. */
  readonly amountHours: number
  /** The id of the project. */
  readonly projectId: string
  /** The stage that it is in. A UUID. */
  readonly workflowId: string
  /** The responsible account. A UUID. */
  readonly userId: string
  /** The id of the assignment type. */
  readonly assignmentTypeId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of assignments. */
export interface AssignmentPage {
  /** The rows of this page. */
  readonly data: readonly Assignment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one assignment. */
export interface CreateAssignmentRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The work to do, in Markdown. Text of at most 2000 characters. Optional. */
  readonly description?: string | null
  /** The start of the work. A timestamp in UTC. Required. */
  readonly startDate: string
  /** The due date, which is on or after the start date. A timestamp in UTC. Required. */
  readonly endDate: string
  /** The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required. */
  readonly amountHours: number
  /** The id of the project. Required. */
  readonly projectId: string
  /** The stage that it is in. A UUID. Required. */
  readonly workflowId: string
  /** The responsible account. A UUID. Required. */
  readonly userId: string
  /** The id of the assignment type. Required. */
  readonly assignmentTypeId: string
}

/** Changes one assignment. */
export interface UpdateAssignmentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The work to do, in Markdown. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly description?: string | null
  /** The start of the work. A timestamp in UTC. Required. */
  readonly startDate: string
  /** The due date, which is on or after the start date. A timestamp in UTC. Required. */
  readonly endDate: string
  /** The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required. */
  readonly amountHours: number
  /** The id of the project. Required. */
  readonly projectId: string
  /** The stage that it is in. A UUID. Required. */
  readonly workflowId: string
  /** The responsible account. A UUID. Required. */
  readonly userId: string
  /** The id of the assignment type. Required. */
  readonly assignmentTypeId: string
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('description')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface AssignmentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name or description contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
  /** Only rows with this WorkflowId. */
  readonly workflowId?: string
  /** A date, or a date and time; without an offset it is UTC. */
  readonly dateFrom?: string
  /** Like dateFrom; the range does not include it. */
  readonly dateTo?: string
}

export type AssignmentResult =
  | (Success & { readonly assignment: Assignment })
  | (Failure & { readonly assignment: null })

export type AssignmentsResult =
  | (Success & { readonly result: AssignmentPage })
  | (Failure & { readonly result: null })

/** One appointment, as it is stored. */
export interface Appointment {
  /** Its id, a UUID. */
  readonly id: string
  /** The work done. Text of at most 2000 characters. Null if there is none. */
  readonly description: string | null
  /** The date of the work. A timestamp in UTC. */
  readonly keepDate: string
  /** The duration in hours. Hours, greater than 0, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. */
  readonly amountHours: number
  /** The id of the assignment. */
  readonly assignmentId: string
  /** The account that did the work. A UUID. */
  readonly userId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of appointments. */
export interface AppointmentPage {
  /** The rows of this page. */
  readonly data: readonly Appointment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one appointment. */
export interface CreateAppointmentRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The work done. Text of at most 2000 characters. Optional. */
  readonly description?: string | null
  /** The date of the work. A timestamp in UTC. Required. */
  readonly keepDate: string
  /** The duration in hours. Hours, greater than 0, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required. */
  readonly amountHours: number
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The account that did the work. A UUID. Required. */
  readonly userId: string
}

/** Changes one appointment. */
export interface UpdateAppointmentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The work done. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly description?: string | null
  /** The date of the work. A timestamp in UTC. Required. */
  readonly keepDate: string
  /** The duration in hours. Hours, greater than 0, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required. */
  readonly amountHours: number
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The account that did the work. A UUID. Required. */
  readonly userId: string
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('description')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface AppointmentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose description contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this AssignmentId. */
  readonly assignmentId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
  /** A date, or a date and time; without an offset it is UTC. */
  readonly dateFrom?: string
  /** Like dateFrom; the range does not include it. */
  readonly dateTo?: string
}

export type AppointmentResult =
  | (Success & { readonly appointment: Appointment })
  | (Failure & { readonly appointment: null })

export type AppointmentsResult =
  | (Success & { readonly result: AppointmentPage })
  | (Failure & { readonly result: null })

/** One assignment impediment, as it is stored. */
export interface AssignmentImpediment {
  /** Its id, a UUID. */
  readonly id: string
  /** How it blocks the assignment. Text of at most 2000 characters. Null if there is none. */
  readonly description: string | null
  /** The id of the assignment. */
  readonly assignmentId: string
  /** The id of the impediment. */
  readonly impedimentId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of assignment impediments. */
export interface AssignmentImpedimentPage {
  /** The rows of this page. */
  readonly data: readonly AssignmentImpediment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one assignment impediment. */
export interface CreateAssignmentImpedimentRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** How it blocks the assignment. Text of at most 2000 characters. Optional. */
  readonly description?: string | null
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The id of the impediment. Required. */
  readonly impedimentId: string
}

/** Changes one assignment impediment. */
export interface UpdateAssignmentImpedimentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** How it blocks the assignment. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly description?: string | null
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The id of the impediment. Required. */
  readonly impedimentId: string
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('description')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface AssignmentImpedimentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose description contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this AssignmentId. */
  readonly assignmentId?: string
}

export type AssignmentImpedimentResult =
  | (Success & { readonly assignmentImpediment: AssignmentImpediment })
  | (Failure & { readonly assignmentImpediment: null })

export type AssignmentImpedimentsResult =
  | (Success & { readonly result: AssignmentImpedimentPage })
  | (Failure & { readonly result: null })

/** One user assignment, as it is stored. */
export interface UserAssignment {
  /** Its id, a UUID. */
  readonly id: string
  /** The id of the user. */
  readonly userId: string
  /** The id of the assignment. */
  readonly assignmentId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of user assignments. */
export interface UserAssignmentPage {
  /** The rows of this page. */
  readonly data: readonly UserAssignment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one user assignment. */
export interface CreateUserAssignmentRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The id of the user. Required. */
  readonly userId: string
  /** The id of the assignment. Required. */
  readonly assignmentId: string
}

/** Changes one user assignment. */
export interface UpdateUserAssignmentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The id of the user. Required. */
  readonly userId: string
  /** The id of the assignment. Required. */
  readonly assignmentId: string
}

/** Selects, sorts and pages the rows of a list. */
export interface UserAssignmentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** No effect, because the rows have no text. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this AssignmentId. */
  readonly assignmentId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
}

export type UserAssignmentResult =
  | (Success & { readonly userAssignment: UserAssignment })
  | (Failure & { readonly userAssignment: null })

export type UserAssignmentsResult =
  | (Success & { readonly result: UserAssignmentPage })
  | (Failure & { readonly result: null })

/** One user project, as it is stored. */
export interface UserProject {
  /** Its id, a UUID. */
  readonly id: string
  /** The id of the user. */
  readonly userId: string
  /** The id of the project. */
  readonly projectId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of user projects. */
export interface UserProjectPage {
  /** The rows of this page. */
  readonly data: readonly UserProject[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one user project. */
export interface CreateUserProjectRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The id of the user. Required. */
  readonly userId: string
  /** The id of the project. Required. */
  readonly projectId: string
}

/** Changes one user project. */
export interface UpdateUserProjectRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The id of the user. Required. */
  readonly userId: string
  /** The id of the project. Required. */
  readonly projectId: string
}

/** Selects, sorts and pages the rows of a list. */
export interface UserProjectsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** No effect, because the rows have no text. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
}

export type UserProjectResult =
  | (Success & { readonly userProject: UserProject })
  | (Failure & { readonly userProject: null })

export type UserProjectsResult =
  | (Success & { readonly result: UserProjectPage })
  | (Failure & { readonly result: null })

/** One workflow, as it is stored, with the fields of the extensions (isDone, color). */
export interface ExtWorkflow {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The position among the stages, in ascending order. A whole number from 0 to 2147483647. */
  readonly order: number
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
  /** Whether assignments in this stage are done. */
  readonly isDone: boolean
  /** The default color, for projects that do not set their own. If null, clients derive one from the position. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Null if there is none. */
  readonly color: string | null
}

/** One page of a list of workflows, with the fields of the extensions (isDone, color). */
export interface ExtWorkflowPage {
  /** The rows of this page. */
  readonly data: readonly ExtWorkflow[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one workflow, with the fields of the extensions (isDone, color). */
export interface CreateExtWorkflowRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The position among the stages, in ascending order. A whole number from 0 to 2147483647. Required. */
  readonly order: number
  /** Whether assignments in this stage are done. Defaults to false. */
  readonly isDone?: boolean | null
  /** The default color, for projects that do not set their own. If null, clients derive one from the position. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Optional. */
  readonly color?: string | null
}

/** Changes one workflow, with the fields of the extensions (isDone, color). */
export interface UpdateExtWorkflowRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. If null or absent, it does not change. */
  readonly name?: string | null
  /** The position among the stages, in ascending order. A whole number from 0 to 2147483647. If null or absent, it does not change. */
  readonly order?: number | null
  /** Whether assignments in this stage are done. If null or absent, it does not change. */
  readonly isDone?: boolean | null
  /** The default color, for projects that do not set their own. If null, clients derive one from the position. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. If null or absent, it does not change; if updateMask names it, it is cleared. */
  readonly color?: string | null
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('color')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface ExtWorkflowsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
}

export type ExtWorkflowResult =
  | (Success & { readonly workflow: ExtWorkflow })
  | (Failure & { readonly workflow: null })

export type ExtWorkflowsResult =
  | (Success & { readonly result: ExtWorkflowPage })
  | (Failure & { readonly result: null })

/** One project, as it is stored, with the fields of the extensions (description, isArchived, key, color). */
export interface ExtProject {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The organization that the project is for. A UUID. */
  readonly organizationId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
  /** The description, in Markdown. Text of at most 2000 characters. Null if there is none. */
  readonly description: string | null
  /** Whether clients hide it where work is planned. */
  readonly isArchived: boolean
  /** The first part of the keys of its assignments, such as MBA in MBA-12. It is unique among all projects, removed ones included, and derived from the name if it is left out. 2 to 8 capital letters and digits, beginning with a letter. */
  readonly key: string
  /** The color. If null, clients derive one from the id. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Null if there is none. */
  readonly color: string | null
}

/** One page of a list of projects, with the fields of the extensions (description, isArchived, key, color). */
export interface ExtProjectPage {
  /** The rows of this page. */
  readonly data: readonly ExtProject[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one project, with the fields of the extensions (description, isArchived, key, color). */
export interface CreateExtProjectRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The organization that the project is for. A UUID. Required. */
  readonly organizationId: string
  /** The description, in Markdown. Text of at most 2000 characters. Optional. */
  readonly description?: string | null
  /** Whether clients hide it where work is planned. Defaults to false. */
  readonly isArchived?: boolean | null
  /** The first part of the keys of its assignments, such as MBA in MBA-12. It is unique among all projects, removed ones included, and derived from the name if it is left out. 2 to 8 capital letters and digits, beginning with a letter. Optional. */
  readonly key?: string | null
  /** The color. If null, clients derive one from the id. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Optional. */
  readonly color?: string | null
}

/** Changes one project, with the fields of the extensions (description, isArchived, key, color). */
export interface UpdateExtProjectRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. If null or absent, it does not change. */
  readonly name?: string | null
  /** The organization that the project is for. A UUID. If null or absent, it does not change. */
  readonly organizationId?: string | null
  /** updatedAt of the version that was read, or its createdAt if that is null. If the project has changed since, the update fails: 409 over REST, `success: false` over commands. A timestamp in UTC. If null or absent, the last write wins. */
  readonly expectedVersion?: string | null
  /** The description, in Markdown. Text of at most 2000 characters. If null or absent, it does not change; if updateMask names it, it is cleared. */
  readonly description?: string | null
  /** Whether clients hide it where work is planned. If null or absent, it does not change. */
  readonly isArchived?: boolean | null
  /** The first part of the keys of its assignments, such as MBA in MBA-12. It is unique among all projects, removed ones included, and derived from the name if it is left out. 2 to 8 capital letters and digits, beginning with a letter. If null or absent, it does not change. */
  readonly key?: string | null
  /** The color. If null, clients derive one from the id. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. If null or absent, it does not change; if updateMask names it, it is cleared. */
  readonly color?: string | null
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('description' | 'color')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface ExtProjectsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name or description contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this OrganizationId. */
  readonly organizationId?: string
}

export type ExtProjectResult =
  | (Success & { readonly project: ExtProject })
  | (Failure & { readonly project: null })

export type ExtProjectsResult =
  | (Success & { readonly result: ExtProjectPage })
  | (Failure & { readonly result: null })

/** One assignment, as it is stored, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned). */
export interface ExtAssignment {
  /** Its id, a UUID. */
  readonly id: string
  /** The name. Text of at most 200 characters. */
  readonly name: string
  /** The work to do, in Markdown. Text of at most 2000 characters. Null if there is none. */
  readonly description: string | null
  /** The start of the work. A timestamp in UTC. */
  readonly startDate: string
  /** The due date, which is on or after the start date. A timestamp in UTC. */
  readonly endDate: string
  /** The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. */
  readonly amountHours: number
  /** The id of the project. */
  readonly projectId: string
  /** The stage that it is in. A UUID. */
  readonly workflowId: string
  /** The responsible account. A UUID. */
  readonly userId: string
  /** The id of the assignment type. */
  readonly assignmentTypeId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
  /** 1 is low, 2 medium, 3 high and 4 urgent; null means no priority. A whole number from 1 to 4. Null if there is none. */
  readonly priority: number | null
  /** The number within the project. Numbers are assigned in order of creation and never reused; the number changes only if the assignment moves to another project. The key of the project and the number form the key of the assignment: MBA-12. A whole number from 1 to 2147483647. */
  readonly number: number
  /** The assignment of the same project that it is a part of; null means none. There are at most 3 levels. A UUID. Null if there is none. */
  readonly parentId: string | null
  /** The place in the manual order of its stage: stages are sorted by it, character by character. A new assignment comes last. Text of at most 60 characters. */
  readonly rank: string
  /** Whether it has no dates yet, so that the two dates are placeholders. Any update that changes a date, including one through v1, sets this field to false, unless it sets the field itself. */
  readonly isUnscheduled: boolean
  /** Whether no user is responsible yet, so that the account is a placeholder. Any update that changes the account, including one through v1, sets this field to false, unless it sets the field itself. */
  readonly isUnassigned: boolean
}

/** One page of a list of assignments, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned). */
export interface ExtAssignmentPage {
  /** The rows of this page. */
  readonly data: readonly ExtAssignment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one assignment, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned). */
export interface CreateExtAssignmentRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name. Text of at most 200 characters. Required. */
  readonly name: string
  /** The work to do, in Markdown. Text of at most 2000 characters. Optional. */
  readonly description?: string | null
  /** The start of the work. A timestamp in UTC. Required. */
  readonly startDate: string
  /** The due date, which is on or after the start date. A timestamp in UTC. Required. */
  readonly endDate: string
  /** The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required. */
  readonly amountHours: number
  /** The id of the project. Required. */
  readonly projectId: string
  /** The stage that it is in. A UUID. Required. */
  readonly workflowId: string
  /** The responsible account. A UUID. Required. */
  readonly userId: string
  /** The id of the assignment type. Required. */
  readonly assignmentTypeId: string
  /** 1 is low, 2 medium, 3 high and 4 urgent; null means no priority. A whole number from 1 to 4. Optional. */
  readonly priority?: number | null
  /** The assignment of the same project that it is a part of; null means none. There are at most 3 levels. A UUID. Optional. */
  readonly parentId?: string | null
  /** Whether it has no dates yet, so that the two dates are placeholders. Any update that changes a date, including one through v1, sets this field to false, unless it sets the field itself. Defaults to false. */
  readonly isUnscheduled?: boolean | null
  /** Whether no user is responsible yet, so that the account is a placeholder. Any update that changes the account, including one through v1, sets this field to false, unless it sets the field itself. Defaults to false. */
  readonly isUnassigned?: boolean | null
}

/** Changes one assignment, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned). */
export interface UpdateExtAssignmentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name. Text of at most 200 characters. If null or absent, it does not change. */
  readonly name?: string | null
  /** The work to do, in Markdown. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly description?: string | null
  /** The start of the work. A timestamp in UTC. If null or absent, it does not change. */
  readonly startDate?: string | null
  /** The due date, which is on or after the start date. A timestamp in UTC. If null or absent, it does not change. */
  readonly endDate?: string | null
  /** The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. If null or absent, it does not change. */
  readonly amountHours?: number | null
  /** The id of the project. If null or absent, it does not change. */
  readonly projectId?: string | null
  /** The stage that it is in. A UUID. If null or absent, it does not change. */
  readonly workflowId?: string | null
  /** The responsible account. A UUID. If null or absent, it does not change. */
  readonly userId?: string | null
  /** The id of the assignment type. If null or absent, it does not change. */
  readonly assignmentTypeId?: string | null
  /** 1 is low, 2 medium, 3 high and 4 urgent; null means no priority. A whole number from 1 to 4. If null or absent, it does not change; if updateMask names it, it is cleared. */
  readonly priority?: number | null
  /** The assignment of the same project that it is a part of; null means none. There are at most 3 levels. A UUID. If null or absent, it does not change; if updateMask names it, it is cleared. */
  readonly parentId?: string | null
  /** Whether it has no dates yet, so that the two dates are placeholders. Any update that changes a date, including one through v1, sets this field to false, unless it sets the field itself. If null or absent, it does not change. */
  readonly isUnscheduled?: boolean | null
  /** Whether no user is responsible yet, so that the account is a placeholder. Any update that changes the account, including one through v1, sets this field to false, unless it sets the field itself. If null or absent, it does not change. */
  readonly isUnassigned?: boolean | null
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('description' | 'priority' | 'parentId')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface ExtAssignmentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name or description contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
  /** Only rows with this WorkflowId. */
  readonly workflowId?: string
  /** A date, or a date and time; without an offset it is UTC. */
  readonly dateFrom?: string
  /** Like dateFrom; the range does not include it. */
  readonly dateTo?: string
  /** Only rows with this ParentId. */
  readonly parentId?: string
}

export type ExtAssignmentResult =
  | (Success & { readonly assignment: ExtAssignment })
  | (Failure & { readonly assignment: null })

export type ExtAssignmentsResult =
  | (Success & { readonly result: ExtAssignmentPage })
  | (Failure & { readonly result: null })

/** One project stage, as it is stored. */
export interface ProjectStage {
  /** Its id, a UUID. */
  readonly id: string
  /** The id of the project. */
  readonly projectId: string
  /** The stage. A UUID. */
  readonly workflowId: string
  /** The position among the stages of the project, in ascending order. A whole number from 0 to 2147483647. */
  readonly order: number
  /** The color in this project. If null, the color of the stage applies. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Null if there is none. */
  readonly color: string | null
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of project stages. */
export interface ProjectStagePage {
  /** The rows of this page. */
  readonly data: readonly ProjectStage[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one project stage. */
export interface CreateProjectStageRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The id of the project. Required. */
  readonly projectId: string
  /** The stage. A UUID. Required. */
  readonly workflowId: string
  /** The position among the stages of the project, in ascending order. A whole number from 0 to 2147483647. Required. */
  readonly order: number
  /** The color in this project. If null, the color of the stage applies. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Optional. */
  readonly color?: string | null
}

/** Changes one project stage. */
export interface UpdateProjectStageRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The id of the project. Required. */
  readonly projectId: string
  /** The stage. A UUID. Required. */
  readonly workflowId: string
  /** The position among the stages of the project, in ascending order. A whole number from 0 to 2147483647. Required. */
  readonly order: number
  /** The color in this project. If null, the color of the stage applies. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly color?: string | null
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('color')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface ProjectStagesKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** No effect, because the rows have no text. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
  /** Only rows with this WorkflowId. */
  readonly workflowId?: string
}

export type ProjectStageResult =
  | (Success & { readonly projectStage: ProjectStage })
  | (Failure & { readonly projectStage: null })

export type ProjectStagesResult =
  | (Success & { readonly result: ProjectStagePage })
  | (Failure & { readonly result: null })

/** One comment, as it is stored. */
export interface Comment {
  /** Its id, a UUID. */
  readonly id: string
  /** The text, in Markdown. Text of at most 10000 characters. */
  readonly text: string
  /** The id of the assignment. */
  readonly assignmentId: string
  /** The author. A UUID. */
  readonly userId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of comments. */
export interface CommentPage {
  /** The rows of this page. */
  readonly data: readonly Comment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one comment. */
export interface CreateCommentRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The text, in Markdown. Text of at most 10000 characters. Required. */
  readonly text: string
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The author. A UUID. Defaults to the caller. */
  readonly userId?: string | null
}

/** Changes one comment. */
export interface UpdateCommentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The text, in Markdown. Text of at most 10000 characters. Required. */
  readonly text: string
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The author. A UUID. Required. */
  readonly userId: string
}

/** Selects, sorts and pages the rows of a list. */
export interface CommentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose text contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this AssignmentId. */
  readonly assignmentId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
}

export type CommentResult =
  | (Success & { readonly comment: Comment })
  | (Failure & { readonly comment: null })

export type CommentsResult =
  | (Success & { readonly result: CommentPage })
  | (Failure & { readonly result: null })

/** One label, as it is stored. */
export interface Label {
  /** Its id, a UUID. */
  readonly id: string
  /** The name, unique among active labels of the project regardless of case. Text of at most 50 characters. */
  readonly name: string
  /** The color, by name. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. */
  readonly color: string
  /** The purpose. Text of at most 500 characters. Null if there is none. */
  readonly description: string | null
  /** The id of the project. */
  readonly projectId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of labels. */
export interface LabelPage {
  /** The rows of this page. */
  readonly data: readonly Label[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one label. */
export interface CreateLabelRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The name, unique among active labels of the project regardless of case. Text of at most 50 characters. Required. */
  readonly name: string
  /** The color, by name. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Required. */
  readonly color: string
  /** The purpose. Text of at most 500 characters. Optional. */
  readonly description?: string | null
  /** The id of the project. Required. */
  readonly projectId: string
}

/** Changes one label. */
export interface UpdateLabelRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name, unique among active labels of the project regardless of case. Text of at most 50 characters. Required. */
  readonly name: string
  /** The color, by name. One of gray, red, orange, amber, green, teal, cyan, blue, indigo, purple, pink, brown. Required. */
  readonly color: string
  /** The purpose. Text of at most 500 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly description?: string | null
  /** The id of the project. Required. */
  readonly projectId: string
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('description')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface LabelsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name or description contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
}

export type LabelResult =
  | (Success & { readonly label: Label })
  | (Failure & { readonly label: null })

export type LabelsResult =
  | (Success & { readonly result: LabelPage })
  | (Failure & { readonly result: null })

/** One assignment label, as it is stored. */
export interface AssignmentLabel {
  /** Its id, a UUID. */
  readonly id: string
  /** The id of the assignment. */
  readonly assignmentId: string
  /** The id of the label. */
  readonly labelId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of assignment labels. */
export interface AssignmentLabelPage {
  /** The rows of this page. */
  readonly data: readonly AssignmentLabel[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one assignment label. */
export interface CreateAssignmentLabelRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The id of the label. Required. */
  readonly labelId: string
}

/** Changes one assignment label. */
export interface UpdateAssignmentLabelRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The id of the assignment. Required. */
  readonly assignmentId: string
  /** The id of the label. Required. */
  readonly labelId: string
}

/** Selects, sorts and pages the rows of a list. */
export interface AssignmentLabelsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** No effect, because the rows have no text. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
  /** Only rows with this AssignmentId. */
  readonly assignmentId?: string
  /** Only rows with this LabelId. */
  readonly labelId?: string
}

export type AssignmentLabelResult =
  | (Success & { readonly assignmentLabel: AssignmentLabel })
  | (Failure & { readonly assignmentLabel: null })

export type AssignmentLabelsResult =
  | (Success & { readonly result: AssignmentLabelPage })
  | (Failure & { readonly result: null })

/** One assignment dependency, as it is stored. */
export interface AssignmentDependency {
  /** Its id, a UUID. */
  readonly id: string
  /** The assignment that waits. A UUID. */
  readonly assignmentId: string
  /** The assignment that it waits for. A UUID. */
  readonly blockedById: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of assignment dependencies. */
export interface AssignmentDependencyPage {
  /** The rows of this page. */
  readonly data: readonly AssignmentDependency[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one assignment dependency. */
export interface CreateAssignmentDependencyRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** The assignment that waits. A UUID. Required. */
  readonly assignmentId: string
  /** The assignment that it waits for. A UUID. Required. */
  readonly blockedById: string
}

/** Changes one assignment dependency. */
export interface UpdateAssignmentDependencyRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The assignment that waits. A UUID. Required. */
  readonly assignmentId: string
  /** The assignment that it waits for. A UUID. Required. */
  readonly blockedById: string
}

/** Selects, sorts and pages the rows of a list. */
export interface AssignmentDependenciesKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** No effect, because the rows have no text. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
  /** Only rows with this AssignmentId. */
  readonly assignmentId?: string
  /** Only rows with this BlockedById. */
  readonly blockedById?: string
}

export type AssignmentDependencyResult =
  | (Success & { readonly assignmentDependency: AssignmentDependency })
  | (Failure & { readonly assignmentDependency: null })

export type AssignmentDependenciesResult =
  | (Success & { readonly result: AssignmentDependencyPage })
  | (Failure & { readonly result: null })

/** One attachment, as it is stored. */
export interface Attachment {
  /** Its id, a UUID. */
  readonly id: string
  /** The name of the file, without folders and hidden characters. Text of at most 200 characters. */
  readonly name: string
  /** The media type, detected from the first bytes. The type that the sender declares is ignored. Text of at most 100 characters. */
  readonly type: string
  /** The size in bytes. A whole number from 1 to 1073741824. */
  readonly size: number
  /** The SHA-256 of the file, in hexadecimal. Text of at most 64 characters. */
  readonly sha256: string
  /** The id of the assignment. */
  readonly assignmentId: string
  /** The account that uploaded it. A UUID. */
  readonly userId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
}

/** One page of a list of attachments. */
export interface AttachmentPage {
  /** The rows of this page. */
  readonly data: readonly Attachment[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Changes one attachment. */
export interface UpdateAttachmentRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** The name of the file, without folders and hidden characters. Text of at most 200 characters. Required. */
  readonly name: string
}

/** Selects, sorts and pages the rows of a list. */
export interface AttachmentsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this AssignmentId. */
  readonly assignmentId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
}

export type AttachmentResult =
  | (Success & { readonly attachment: Attachment })
  | (Failure & { readonly attachment: null })

export type AttachmentsResult =
  | (Success & { readonly result: AttachmentPage })
  | (Failure & { readonly result: null })

/** One saved view, as it is stored. */
export interface SavedView {
  /** Its id, a UUID. */
  readonly id: string
  /** Text of at most 200 characters. */
  readonly name: string
  /** The list that the view queries, named by the last segment of the path of the list. Text of at most 64 characters. */
  readonly list: string
  /** The filter, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly filter: string | null
  /** The order, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly sort: string | null
  /** The fields, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly fields: string | null
  /** The expanded references, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly expand: string | null
  /** The owner. A UUID. */
  readonly userId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
  /** The path and query of the page that shows it in the web client. That page can filter by more than `filter` says, such as by labels. Text of at most 2000 characters. Null if there is none. */
  readonly address: string | null
}

/** One page of a list of saved views. */
export interface SavedViewPage {
  /** The rows of this page. */
  readonly data: readonly SavedView[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one saved view. */
export interface CreateSavedViewRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** Text of at most 200 characters. Required. */
  readonly name: string
  /** The list that the view queries, named by the last segment of the path of the list. Text of at most 64 characters. Required. */
  readonly list: string
  /** The filter, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly filter?: string | null
  /** The order, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly sort?: string | null
  /** The fields, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly fields?: string | null
  /** The expanded references, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly expand?: string | null
  /** The owner. A UUID. Defaults to the caller. */
  readonly userId?: string | null
  /** The path and query of the page that shows it in the web client. That page can filter by more than `filter` says, such as by labels. Text of at most 2000 characters. Optional. */
  readonly address?: string | null
}

/** Changes one saved view. */
export interface UpdateSavedViewRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** Text of at most 200 characters. Required. */
  readonly name: string
  /** The list that the view queries, named by the last segment of the path of the list. Text of at most 64 characters. Required. */
  readonly list: string
  /** The filter, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly filter?: string | null
  /** The order, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly sort?: string | null
  /** The fields, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly fields?: string | null
  /** The expanded references, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly expand?: string | null
  /** The owner. A UUID. Required. */
  readonly userId: string
  /** The path and query of the page that shows it in the web client. That page can filter by more than `filter` says, such as by labels. Text of at most 2000 characters. If null or absent, it does not change; if updateMask names it, it is cleared. */
  readonly address?: string | null
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('filter' | 'sort' | 'fields' | 'expand' | 'address')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface SavedViewsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this UserId. */
  readonly userId?: string
}

export type SavedViewResult =
  | (Success & { readonly savedView: SavedView })
  | (Failure & { readonly savedView: null })

export type SavedViewsResult =
  | (Success & { readonly result: SavedViewPage })
  | (Failure & { readonly result: null })

/** One project view, as it is stored. */
export interface ProjectView {
  /** Its id, a UUID. */
  readonly id: string
  /** Text of at most 200 characters. */
  readonly name: string
  /** The list that the view queries, named by the last segment of the path of the list. Text of at most 64 characters. */
  readonly list: string
  /** The filter, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly filter: string | null
  /** The order, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly sort: string | null
  /** The fields, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly fields: string | null
  /** The expanded references, in the syntax of queries. Text of at most 2000 characters. Null if there is none. */
  readonly expand: string | null
  /** The id of the project. */
  readonly projectId: string
  /** The account that shares it. Only this account may change it. A UUID. */
  readonly userId: string
  /** The time of its creation. */
  readonly createdAt: string
  /** The time of its last change; null if it was never changed. */
  readonly updatedAt: string | null
  /** The time of its removal; null while it is active. */
  readonly deletedAt: string | null
  /** False if the record is removed. */
  readonly active: boolean
  /** The path and query of the page that shows it in the web client. That page can filter by more than `filter` says, such as by labels. Text of at most 2000 characters. Null if there is none. */
  readonly address: string | null
}

/** One page of a list of project views. */
export interface ProjectViewPage {
  /** The rows of this page. */
  readonly data: readonly ProjectView[]
  /** Rows on all pages. */
  readonly totalCount: number
  /** This page, counted from 1. */
  readonly pageNumber: number
  /** Rows on a page. */
  readonly pageSize: number
  /** The number of pages. */
  readonly totalPages: number
}

/** Creates one project view. */
export interface CreateProjectViewRequest {
  /** A UUID; generated if null or absent. */
  readonly id?: string | null
  /** Text of at most 200 characters. Required. */
  readonly name: string
  /** The list that the view queries, named by the last segment of the path of the list. Text of at most 64 characters. Required. */
  readonly list: string
  /** The filter, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly filter?: string | null
  /** The order, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly sort?: string | null
  /** The fields, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly fields?: string | null
  /** The expanded references, in the syntax of queries. Text of at most 2000 characters. Optional. */
  readonly expand?: string | null
  /** The id of the project. Required. */
  readonly projectId: string
  /** The account that shares it. Only this account may change it. A UUID. Defaults to the caller. */
  readonly userId?: string | null
  /** The path and query of the page that shows it in the web client. That page can filter by more than `filter` says, such as by labels. Text of at most 2000 characters. Optional. */
  readonly address?: string | null
}

/** Changes one project view. */
export interface UpdateProjectViewRequest {
  /** The id of the row. Required. */
  readonly id: string
  /** Text of at most 200 characters. Required. */
  readonly name: string
  /** The list that the view queries, named by the last segment of the path of the list. Text of at most 64 characters. Required. */
  readonly list: string
  /** The filter, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly filter?: string | null
  /** The order, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly sort?: string | null
  /** The fields, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly fields?: string | null
  /** The expanded references, in the syntax of queries. Text of at most 2000 characters. If null or absent, it is cleared; with an updateMask, only if the mask names it. */
  readonly expand?: string | null
  /** The id of the project. Required. */
  readonly projectId: string
  /** The account that shares it. Only this account may change it. A UUID. Required. */
  readonly userId: string
  /** The path and query of the page that shows it in the web client. That page can filter by more than `filter` says, such as by labels. Text of at most 2000 characters. If null or absent, it does not change; if updateMask names it, it is cleared. */
  readonly address?: string | null
  /** The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change. */
  readonly updateMask?: { readonly paths: readonly ('filter' | 'sort' | 'fields' | 'expand' | 'address')[] }
}

/** Selects, sorts and pages the rows of a list. */
export interface ProjectViewsKeys {
  /** The page, from 1 to 21474836; 1 by default. */
  readonly pageNumber?: number
  /** Rows on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
  /** A field of the record, in upper or lower case; anything else sorts by id. */
  readonly sortColumn?: string
  /** ASC or DESC, in upper or lower case; ASC by default. */
  readonly sortOrder?: 'ASC' | 'DESC'
  /** Only rows whose name contains this text, in upper or lower case; at most 128 characters. Matched literally. */
  readonly search?: string
  /** Only rows with these ids: up to 100, separated by commas. */
  readonly ids?: string
  /** Only rows with this ProjectId. */
  readonly projectId?: string
  /** Only rows with this UserId. */
  readonly userId?: string
}

export type ProjectViewResult =
  | (Success & { readonly projectView: ProjectView })
  | (Failure & { readonly projectView: null })

export type ProjectViewsResult =
  | (Success & { readonly result: ProjectViewPage })
  | (Failure & { readonly result: null })

/** One change of a row. */
export interface Change {
  /** The id of the change. It is the same in the history, the feed and webhook deliveries. */
  readonly id: string
  /** The time of the change. */
  readonly at: string
  /** The resource of the row: organization, workflow, assignmentType, impediment, user, project, assignment, appointment, assignmentImpediment, userAssignment, userProject, projectStage, comment, label, assignmentLabel, assignmentDependency, attachment, savedView, projectView. */
  readonly resource: string
  /** The id of the row. */
  readonly rowId: string
  /** The action: create, update, remove, restore. */
  readonly action: string
  /** The project of the row after the change; null for catalogs and accounts. */
  readonly projectId: string | null
  /** The account that made the change; null for the program itself. */
  readonly callerId: string | null
  /** The client to which the token of the request was issued. */
  readonly clientId: string | null
  /** rest or commands; null for the program itself. */
  readonly host: string | null
  /** Only shown to administrators and to the account that made the change. */
  readonly sessionId: string | null
  /** Only shown to administrators and to the account that made the change. */
  readonly requestId: string | null
  /** The previous values of the changed fields, with the names and values of REST; null for a new row. */
  readonly before: Readonly<Record<string, unknown>> | null
  /** The new values of the changed fields; for a new row, all fields with a value. */
  readonly after: Readonly<Record<string, unknown>> | null
}

/** One page of a history. */
export interface HistoryPage {
  /** Sorted from newest to oldest. */
  readonly data: readonly Change[]
  /** Pass it as `before` to get the next page. Null on the last page. */
  readonly next: string | null
}

/** One page of the feed. */
export interface ChangePage {
  /** In the order in which they became visible. */
  readonly data: readonly Change[]
  /** Pass it as `after` to get the next page. Set even if this page is empty. */
  readonly cursor: string
  /** Whether more changes can be read immediately. */
  readonly hasMore: boolean
}

/** Lists the changes of a row, or of all rows in a project, newest first. Callers who can see the row now can see its history. */
export interface ReadHistoryRequest {
  /** The resource: organization, workflow, assignmentType, impediment, user, project, assignment, appointment, assignmentImpediment, userAssignment, userProject, projectStage, comment, label, assignmentLabel, assignmentDependency, attachment, savedView, projectView. Required unless projectId is set. */
  readonly resource?: string
  /** The id of the row. Required unless projectId is set. */
  readonly id?: string
  /** Selects the changes of all rows in this project, instead of those of one row. */
  readonly projectId?: string
  /** Only changes before the one with this id. */
  readonly before?: string
  /** Changes on a page, 1 to 100; 10 by default. */
  readonly pageSize?: number
}

/** Lists every committed change that the caller may see, without gaps or duplicates, page by page. A cursor that is too old results in OUT_OF_RANGE. */
export interface ReadChangesRequest {
  /** The `cursor` of the previous page, or `now` to get only future changes. If absent, starts at the oldest change that is kept. */
  readonly after?: string
  /** Only changes of these resources, separated by commas: organization, workflow, assignmentType, impediment, user, project, assignment, appointment, assignmentImpediment, userAssignment, userProject, projectStage, comment, label, assignmentLabel, assignmentDependency, attachment, savedView, projectView. */
  readonly resource?: string
  /** Only changes with these actions, separated by commas: create, update, remove, restore. */
  readonly action?: string
  /** Only changes in this project. */
  readonly projectId?: string
  /** Changes on a page, 1 to 100; 100 by default. */
  readonly pageSize?: number
}

/** Streams the same changes without end: existing ones first, then each change as it is committed. When the stream ends, call again with the last cursor. */
export interface FollowChangesRequest {
  /** The `cursor` of the previous page, or `now` to get only future changes. If absent, starts at the oldest change that is kept. */
  readonly after?: string
  /** Only changes of these resources, separated by commas: organization, workflow, assignmentType, impediment, user, project, assignment, appointment, assignmentImpediment, userAssignment, userProject, projectStage, comment, label, assignmentLabel, assignmentDependency, attachment, savedView, projectView. */
  readonly resource?: string
  /** Only changes with these actions, separated by commas: create, update, remove, restore. */
  readonly action?: string
  /** Only changes in this project. */
  readonly projectId?: string
}

export type ReadHistoryResult =
  | (Success & { readonly result: HistoryPage })
  | (Failure & { readonly result: null })

export type ReadChangesResult =
  | (Success & { readonly result: ChangePage })
  | (Failure & { readonly result: null })

/** Every command. Timestamps are RFC 3339 text, which keeps microseconds. */
export interface CommandClient {
  /** Creates one organization. */
  readonly createOrganization: Call<CreateOrganizationRequest, OrganizationResult>
  /** Shows one organization. */
  readonly getOrganizationById: Call<{ readonly id: string }, OrganizationResult>
  /** Lists organizations, a page at a time. */
  readonly listOrganizations: Call<{ readonly pagination: OrganizationsKeys }, OrganizationsResult>
  /** Removes organizations, all or none. */
  readonly removeOrganization: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one organization. */
  readonly updateOrganization: Call<UpdateOrganizationRequest, Outcome>
  /** Creates one workflow. */
  readonly createWorkflow: Call<CreateWorkflowRequest, WorkflowResult>
  /** Shows one workflow. */
  readonly getWorkflowById: Call<{ readonly id: string }, WorkflowResult>
  /** Lists workflows, a page at a time. */
  readonly listWorkflows: Call<{ readonly pagination: WorkflowsKeys }, WorkflowsResult>
  /** Removes workflows, all or none. */
  readonly removeWorkflow: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one workflow. */
  readonly updateWorkflow: Call<UpdateWorkflowRequest, Outcome>
  /** Creates one assignment type. */
  readonly createAssignmentType: Call<CreateAssignmentTypeRequest, AssignmentTypeResult>
  /** Shows one assignment type. */
  readonly getAssignmentTypeById: Call<{ readonly id: string }, AssignmentTypeResult>
  /** Lists assignment types, a page at a time. */
  readonly listAssignmentTypes: Call<{ readonly pagination: AssignmentTypesKeys }, AssignmentTypesResult>
  /** Removes assignment types, all or none. */
  readonly removeAssignmentType: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one assignment type. */
  readonly updateAssignmentType: Call<UpdateAssignmentTypeRequest, Outcome>
  /** Creates one impediment. */
  readonly createImpediment: Call<CreateImpedimentRequest, ImpedimentResult>
  /** Shows one impediment. */
  readonly getImpedimentById: Call<{ readonly id: string }, ImpedimentResult>
  /** Lists impediments, a page at a time. */
  readonly listImpediments: Call<{ readonly pagination: ImpedimentsKeys }, ImpedimentsResult>
  /** Removes impediments, all or none. */
  readonly removeImpediment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one impediment. */
  readonly updateImpediment: Call<UpdateImpedimentRequest, Outcome>
  /** Creates one user. */
  readonly createUser: Call<CreateUserRequest, UserResult>
  /** Shows one user. */
  readonly getUserById: Call<{ readonly id: string }, UserResult>
  /** Lists users, a page at a time. */
  readonly listUsers: Call<{ readonly pagination: UsersKeys }, UsersResult>
  /** Removes users, all or none. */
  readonly removeUser: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one user. */
  readonly updateUser: Call<UpdateUserRequest, Outcome>
  /** Creates one project. */
  readonly createProject: Call<CreateProjectRequest, ProjectResult>
  /** Shows one project. */
  readonly getProjectById: Call<{ readonly id: string }, ProjectResult>
  /** Lists projects, a page at a time. */
  readonly listProjects: Call<{ readonly pagination: ProjectsKeys }, ProjectsResult>
  /** Removes projects, all or none. */
  readonly removeProject: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one project. */
  readonly updateProject: Call<UpdateProjectRequest, Outcome>
  /** Creates one assignment. */
  readonly createAssignment: Call<CreateAssignmentRequest, AssignmentResult>
  /** Shows one assignment. */
  readonly getAssignmentById: Call<{ readonly id: string }, AssignmentResult>
  /** Lists assignments, a page at a time. */
  readonly listAssignments: Call<{ readonly pagination: AssignmentsKeys }, AssignmentsResult>
  /** Removes assignments, all or none. */
  readonly removeAssignment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one assignment. */
  readonly updateAssignment: Call<UpdateAssignmentRequest, Outcome>
  /** Creates one appointment. */
  readonly createAppointment: Call<CreateAppointmentRequest, AppointmentResult>
  /** Shows one appointment. */
  readonly getAppointmentById: Call<{ readonly id: string }, AppointmentResult>
  /** Lists appointments, a page at a time. */
  readonly listAppointments: Call<{ readonly pagination: AppointmentsKeys }, AppointmentsResult>
  /** Removes appointments, all or none. */
  readonly removeAppointment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one appointment. */
  readonly updateAppointment: Call<UpdateAppointmentRequest, Outcome>
  /** Creates one assignment impediment. */
  readonly createAssignmentImpediment: Call<CreateAssignmentImpedimentRequest, AssignmentImpedimentResult>
  /** Shows one assignment impediment. */
  readonly getAssignmentImpedimentById: Call<{ readonly id: string }, AssignmentImpedimentResult>
  /** Lists assignment impediments, a page at a time. */
  readonly listAssignmentImpediments: Call<{ readonly pagination: AssignmentImpedimentsKeys }, AssignmentImpedimentsResult>
  /** Removes assignment impediments, all or none. */
  readonly removeAssignmentImpediment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one assignment impediment. */
  readonly updateAssignmentImpediment: Call<UpdateAssignmentImpedimentRequest, Outcome>
  /** Creates one user assignment. */
  readonly createUserAssignment: Call<CreateUserAssignmentRequest, UserAssignmentResult>
  /** Shows one user assignment. */
  readonly getUserAssignmentById: Call<{ readonly id: string }, UserAssignmentResult>
  /** Lists user assignments, a page at a time. */
  readonly listUserAssignments: Call<{ readonly pagination: UserAssignmentsKeys }, UserAssignmentsResult>
  /** Removes user assignments, all or none. */
  readonly removeUserAssignment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one user assignment. */
  readonly updateUserAssignment: Call<UpdateUserAssignmentRequest, Outcome>
  /** Creates one user project. */
  readonly createUserProject: Call<CreateUserProjectRequest, UserProjectResult>
  /** Shows one user project. */
  readonly getUserProjectById: Call<{ readonly id: string }, UserProjectResult>
  /** Lists user projects, a page at a time. */
  readonly listUserProjects: Call<{ readonly pagination: UserProjectsKeys }, UserProjectsResult>
  /** Removes user projects, all or none. */
  readonly removeUserProject: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one user project. */
  readonly updateUserProject: Call<UpdateUserProjectRequest, Outcome>
  /** Creates one workflow, with the fields of the extensions (isDone, color). */
  readonly createExtWorkflow: Call<CreateExtWorkflowRequest, ExtWorkflowResult>
  /** Shows one workflow, with the fields of the extensions (isDone, color). */
  readonly getExtWorkflowById: Call<{ readonly id: string }, ExtWorkflowResult>
  /** Lists workflows, with the fields of the extensions (isDone, color), a page at a time. */
  readonly listExtWorkflows: Call<{ readonly pagination: ExtWorkflowsKeys }, ExtWorkflowsResult>
  /** Removes workflows, all or none. */
  readonly removeExtWorkflow: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one workflow, with the fields of the extensions (isDone, color). */
  readonly updateExtWorkflow: Call<UpdateExtWorkflowRequest, Outcome>
  /** Creates one project, with the fields of the extensions (description, isArchived, key, color). */
  readonly createExtProject: Call<CreateExtProjectRequest, ExtProjectResult>
  /** Shows one project, with the fields of the extensions (description, isArchived, key, color). */
  readonly getExtProjectById: Call<{ readonly id: string }, ExtProjectResult>
  /** Lists projects, with the fields of the extensions (description, isArchived, key, color), a page at a time. */
  readonly listExtProjects: Call<{ readonly pagination: ExtProjectsKeys }, ExtProjectsResult>
  /** Removes projects, all or none. */
  readonly removeExtProject: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one project, with the fields of the extensions (description, isArchived, key, color). */
  readonly updateExtProject: Call<UpdateExtProjectRequest, Outcome>
  /** Creates one assignment, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned). */
  readonly createExtAssignment: Call<CreateExtAssignmentRequest, ExtAssignmentResult>
  /** Shows one assignment, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned). */
  readonly getExtAssignmentById: Call<{ readonly id: string }, ExtAssignmentResult>
  /** Lists assignments, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned), a page at a time. */
  readonly listExtAssignments: Call<{ readonly pagination: ExtAssignmentsKeys }, ExtAssignmentsResult>
  /** Removes assignments, all or none. */
  readonly removeExtAssignment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one assignment, with the fields of the extensions (priority, number, parentId, rank, isUnscheduled, isUnassigned). */
  readonly updateExtAssignment: Call<UpdateExtAssignmentRequest, Outcome>
  /** Creates one project stage. */
  readonly createProjectStage: Call<CreateProjectStageRequest, ProjectStageResult>
  /** Shows one project stage. */
  readonly getProjectStageById: Call<{ readonly id: string }, ProjectStageResult>
  /** Lists project stages, a page at a time. */
  readonly listProjectStages: Call<{ readonly pagination: ProjectStagesKeys }, ProjectStagesResult>
  /** Removes project stages, all or none. */
  readonly removeProjectStage: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one project stage. */
  readonly updateProjectStage: Call<UpdateProjectStageRequest, Outcome>
  /** Creates one comment. */
  readonly createComment: Call<CreateCommentRequest, CommentResult>
  /** Shows one comment. */
  readonly getCommentById: Call<{ readonly id: string }, CommentResult>
  /** Lists comments, a page at a time. */
  readonly listComments: Call<{ readonly pagination: CommentsKeys }, CommentsResult>
  /** Removes comments, all or none. */
  readonly removeComment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one comment. */
  readonly updateComment: Call<UpdateCommentRequest, Outcome>
  /** Creates one label. */
  readonly createLabel: Call<CreateLabelRequest, LabelResult>
  /** Shows one label. */
  readonly getLabelById: Call<{ readonly id: string }, LabelResult>
  /** Lists labels, a page at a time. */
  readonly listLabels: Call<{ readonly pagination: LabelsKeys }, LabelsResult>
  /** Removes labels, all or none. */
  readonly removeLabel: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one label. */
  readonly updateLabel: Call<UpdateLabelRequest, Outcome>
  /** Creates one assignment label. */
  readonly createAssignmentLabel: Call<CreateAssignmentLabelRequest, AssignmentLabelResult>
  /** Shows one assignment label. */
  readonly getAssignmentLabelById: Call<{ readonly id: string }, AssignmentLabelResult>
  /** Lists assignment labels, a page at a time. */
  readonly listAssignmentLabels: Call<{ readonly pagination: AssignmentLabelsKeys }, AssignmentLabelsResult>
  /** Removes assignment labels, all or none. */
  readonly removeAssignmentLabel: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one assignment label. */
  readonly updateAssignmentLabel: Call<UpdateAssignmentLabelRequest, Outcome>
  /** Creates one assignment dependency. */
  readonly createAssignmentDependency: Call<CreateAssignmentDependencyRequest, AssignmentDependencyResult>
  /** Shows one assignment dependency. */
  readonly getAssignmentDependencyById: Call<{ readonly id: string }, AssignmentDependencyResult>
  /** Lists assignment dependencies, a page at a time. */
  readonly listAssignmentDependencies: Call<{ readonly pagination: AssignmentDependenciesKeys }, AssignmentDependenciesResult>
  /** Removes assignment dependencies, all or none. */
  readonly removeAssignmentDependency: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one assignment dependency. */
  readonly updateAssignmentDependency: Call<UpdateAssignmentDependencyRequest, Outcome>
  /** Shows one attachment. */
  readonly getAttachmentById: Call<{ readonly id: string }, AttachmentResult>
  /** Lists attachments, a page at a time. */
  readonly listAttachments: Call<{ readonly pagination: AttachmentsKeys }, AttachmentsResult>
  /** Removes attachments, all or none. */
  readonly removeAttachment: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one attachment. */
  readonly updateAttachment: Call<UpdateAttachmentRequest, Outcome>
  /** Creates one saved view. */
  readonly createSavedView: Call<CreateSavedViewRequest, SavedViewResult>
  /** Shows one saved view. */
  readonly getSavedViewById: Call<{ readonly id: string }, SavedViewResult>
  /** Lists saved views, a page at a time. */
  readonly listSavedViews: Call<{ readonly pagination: SavedViewsKeys }, SavedViewsResult>
  /** Removes saved views, all or none. */
  readonly removeSavedView: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one saved view. */
  readonly updateSavedView: Call<UpdateSavedViewRequest, Outcome>
  /** Creates one project view. */
  readonly createProjectView: Call<CreateProjectViewRequest, ProjectViewResult>
  /** Shows one project view. */
  readonly getProjectViewById: Call<{ readonly id: string }, ProjectViewResult>
  /** Lists project views, a page at a time. */
  readonly listProjectViews: Call<{ readonly pagination: ProjectViewsKeys }, ProjectViewsResult>
  /** Removes project views, all or none. */
  readonly removeProjectView: Call<{ readonly ids: readonly string[] }, Outcome>
  /** Changes one project view. */
  readonly updateProjectView: Call<UpdateProjectViewRequest, Outcome>
  /** Lists the changes of a row, or of all rows in a project, newest first. Callers who can see the row now can see its history. */
  readonly readHistory: Call<ReadHistoryRequest, ReadHistoryResult>
  /** Lists every committed change that the caller may see, without gaps or duplicates, page by page. A cursor that is too old results in OUT_OF_RANGE. */
  readonly readChanges: Call<ReadChangesRequest, ReadChangesResult>
}
