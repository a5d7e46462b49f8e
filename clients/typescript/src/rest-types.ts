// Generated from docs/contract/ by npm run contract; do not edit.

export interface Person {
  readonly id: string
  readonly name: string
}

export interface PersonPage {
  readonly result: {
    readonly data: readonly Person[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface Organization {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface OrganizationPage {
  readonly result: {
    readonly data: readonly Organization[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface ExtWorkflow {
  readonly id: string
  readonly name: string
  readonly order: number
  readonly isDone: boolean
  readonly color: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ExtWorkflowPage {
  readonly result: {
    readonly data: readonly ExtWorkflow[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface AssignmentType {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AssignmentTypePage {
  readonly result: {
    readonly data: readonly AssignmentType[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface Impediment {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ImpedimentPage {
  readonly result: {
    readonly data: readonly Impediment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface User {
  readonly id: string
  readonly name: string
  readonly login: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface UserPage {
  readonly result: {
    readonly data: readonly User[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface ExtProject {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly description: string | null
  readonly isArchived: boolean
  readonly key: string
  readonly color: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ExtProjectPage {
  readonly result: {
    readonly data: readonly ExtProject[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface ExtAssignment {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
  readonly projectId: string
  readonly workflowId: string
  readonly userId: string
  readonly assignmentTypeId: string
  readonly priority: number | null
  readonly number: number
  readonly parentId: string | null
  readonly rank: string
  readonly isUnscheduled: boolean
  readonly isUnassigned: boolean
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ExtAssignmentPage {
  readonly result: {
    readonly data: readonly ExtAssignment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface Appointment {
  readonly id: string
  readonly description: string | null
  readonly keepDate: string
  readonly amountHours: number
  readonly assignmentId: string
  readonly userId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AppointmentPage {
  readonly result: {
    readonly data: readonly Appointment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface AssignmentImpediment {
  readonly id: string
  readonly description: string | null
  readonly assignmentId: string
  readonly impedimentId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AssignmentImpedimentPage {
  readonly result: {
    readonly data: readonly AssignmentImpediment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface UserAssignment {
  readonly id: string
  readonly userId: string
  readonly assignmentId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface UserAssignmentPage {
  readonly result: {
    readonly data: readonly UserAssignment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface UserProject {
  readonly id: string
  readonly userId: string
  readonly projectId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface UserProjectPage {
  readonly result: {
    readonly data: readonly UserProject[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface ProjectStage {
  readonly id: string
  readonly projectId: string
  readonly workflowId: string
  readonly order: number
  readonly color: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ProjectStagePage {
  readonly result: {
    readonly data: readonly ProjectStage[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface Comment {
  readonly id: string
  readonly text: string
  readonly assignmentId: string
  readonly userId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface CommentPage {
  readonly result: {
    readonly data: readonly Comment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface Label {
  readonly id: string
  readonly name: string
  readonly color: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown'
  readonly description: string | null
  readonly projectId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface LabelPage {
  readonly result: {
    readonly data: readonly Label[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface AssignmentLabel {
  readonly id: string
  readonly assignmentId: string
  readonly labelId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AssignmentLabelPage {
  readonly result: {
    readonly data: readonly AssignmentLabel[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface AssignmentDependency {
  readonly id: string
  readonly assignmentId: string
  readonly blockedById: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AssignmentDependencyPage {
  readonly result: {
    readonly data: readonly AssignmentDependency[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface Attachment {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
  readonly assignmentId: string
  readonly userId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AttachmentPage {
  readonly result: {
    readonly data: readonly Attachment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface SavedView {
  readonly id: string
  readonly name: string
  readonly list: string
  readonly filter: string | null
  readonly sort: string | null
  readonly fields: string | null
  readonly expand: string | null
  readonly address: string | null
  readonly userId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface SavedViewPage {
  readonly result: {
    readonly data: readonly SavedView[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface ProjectView {
  readonly id: string
  readonly name: string
  readonly list: string
  readonly filter: string | null
  readonly sort: string | null
  readonly fields: string | null
  readonly expand: string | null
  readonly address: string | null
  readonly projectId: string
  readonly userId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ProjectViewPage {
  readonly result: {
    readonly data: readonly ProjectView[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface ExtWorkflowCreate {
  readonly id?: string | null
  readonly name: string
  readonly order: number
  readonly isDone?: boolean
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
}

export interface ExtWorkflowUpdate {
  readonly id: string
  readonly name?: string
  readonly order?: number
  readonly isDone?: boolean
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
}

export interface ExtWorkflowAnswer {
  readonly workflow: ExtWorkflow
}

export interface ExtWorkflowUpdated {
  readonly success: boolean
  readonly workflow: ExtWorkflow
}

export interface ExtProjectCreate {
  readonly id?: string | null
  readonly name: string
  readonly organizationId: string
  readonly description?: string | null
  readonly isArchived?: boolean
  readonly key?: string
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
}

export interface ExtProjectUpdate {
  readonly id: string
  readonly name?: string
  readonly organizationId?: string
  readonly description?: string | null
  readonly isArchived?: boolean
  readonly key?: string
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
  readonly expectedVersion?: string
}

export interface ExtProjectAnswer {
  readonly project: ExtProject
}

export interface ProjectUpdated {
  readonly success: boolean
  readonly message: string | null
  readonly project: ExtProject
}

export interface ExtAssignmentCreate {
  readonly id?: string | null
  readonly name: string
  readonly description?: string | null
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
  readonly projectId: string
  readonly workflowId: string
  readonly userId: string
  readonly assignmentTypeId: string
  readonly priority?: number | null
  readonly parentId?: string | null
  readonly isUnscheduled?: boolean
  readonly isUnassigned?: boolean
}

export interface ExtAssignmentUpdate {
  readonly id: string
  readonly name?: string
  readonly description?: string | null
  readonly startDate?: string
  readonly endDate?: string
  readonly amountHours?: number
  readonly projectId?: string
  readonly workflowId?: string
  readonly userId?: string
  readonly assignmentTypeId?: string
  readonly priority?: number | null
  readonly parentId?: string | null
  readonly isUnscheduled?: boolean
  readonly isUnassigned?: boolean
}

export interface ExtAssignmentAnswer {
  readonly assignment: ExtAssignment
}

export interface ExtAssignmentUpdated {
  readonly success: boolean
  readonly assignment: ExtAssignment
}

export interface ProjectStageCreate {
  readonly id?: string | null
  readonly projectId: string
  readonly workflowId: string
  readonly order: number
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
}

export interface ProjectStageUpdate {
  readonly id: string
  readonly projectId: string
  readonly workflowId: string
  readonly order: number
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
}

export interface ProjectStageAnswer {
  readonly projectStage: ProjectStage
}

export interface ProjectStageUpdated {
  readonly success: boolean
  readonly projectStage: ProjectStage
}

export interface CommentCreate {
  readonly id?: string | null
  readonly text: string
  readonly assignmentId: string
  readonly userId?: string | null
}

export interface CommentUpdate {
  readonly id: string
  readonly text: string
  readonly assignmentId: string
  readonly userId: string
}

export interface CommentAnswer {
  readonly comment: Comment
}

export interface CommentUpdated {
  readonly success: boolean
  readonly comment: Comment
}

export interface LabelCreate {
  readonly id?: string | null
  readonly name: string
  readonly color: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown'
  readonly description?: string | null
  readonly projectId: string
}

export interface LabelUpdate {
  readonly id: string
  readonly name: string
  readonly color: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown'
  readonly description?: string | null
  readonly projectId: string
}

export interface LabelAnswer {
  readonly label: Label
}

export interface LabelUpdated {
  readonly success: boolean
  readonly label: Label
}

export interface AssignmentLabelCreate {
  readonly id?: string | null
  readonly assignmentId: string
  readonly labelId: string
}

export interface AssignmentLabelUpdate {
  readonly id: string
  readonly assignmentId: string
  readonly labelId: string
}

export interface AssignmentLabelAnswer {
  readonly assignmentLabel: AssignmentLabel
}

export interface AssignmentLabelUpdated {
  readonly success: boolean
  readonly assignmentLabel: AssignmentLabel
}

export interface AssignmentDependencyCreate {
  readonly id?: string | null
  readonly assignmentId: string
  readonly blockedById: string
}

export interface AssignmentDependencyUpdate {
  readonly id: string
  readonly assignmentId: string
  readonly blockedById: string
}

export interface AssignmentDependencyAnswer {
  readonly assignmentDependency: AssignmentDependency
}

export interface AssignmentDependencyUpdated {
  readonly success: boolean
  readonly assignmentDependency: AssignmentDependency
}

export interface AttachmentUpdate {
  readonly id: string
  readonly name: string
}

export interface AttachmentAnswer {
  readonly attachment: Attachment
}

export interface AttachmentUpdated {
  readonly success: boolean
  readonly attachment: Attachment
}

export interface SavedViewCreate {
  readonly id?: string | null
  readonly name: string
  readonly list: string
  readonly filter?: string | null
  readonly sort?: string | null
  readonly fields?: string | null
  readonly expand?: string | null
  readonly address?: string | null
  readonly userId?: string | null
}

export interface SavedViewUpdate {
  readonly id: string
  readonly name: string
  readonly list: string
  readonly filter?: string | null
  readonly sort?: string | null
  readonly fields?: string | null
  readonly expand?: string | null
  readonly address?: string | null
  readonly userId: string
}

export interface SavedViewAnswer {
  readonly savedView: SavedView
}

export interface SavedViewUpdated {
  readonly success: boolean
  readonly savedView: SavedView
}

export interface ProjectViewCreate {
  readonly id?: string | null
  readonly name: string
  readonly list: string
  readonly filter?: string | null
  readonly sort?: string | null
  readonly fields?: string | null
  readonly expand?: string | null
  readonly address?: string | null
  readonly projectId: string
  readonly userId?: string | null
}

export interface ProjectViewUpdate {
  readonly id: string
  readonly name: string
  readonly list: string
  readonly filter?: string | null
  readonly sort?: string | null
  readonly fields?: string | null
  readonly expand?: string | null
  readonly address?: string | null
  readonly projectId: string
  readonly userId: string
}

export interface ProjectViewAnswer {
  readonly projectView: ProjectView
}

export interface ProjectViewUpdated {
  readonly success: boolean
  readonly projectView: ProjectView
}

export interface IdList {
  readonly ids: readonly string[]
}

export interface DistinctIdList {
  readonly ids: readonly string[]
}

export interface PersonQueryRow {
  readonly id: string
  readonly name?: string
}

export interface OrganizationQueryRow {
  readonly id: string
  readonly name?: string
  readonly description?: string | null
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
}

export interface WorkflowQueryRow {
  readonly id: string
  readonly name?: string
  readonly order?: number
  readonly isDone?: boolean
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
}

export interface AssignmentTypeQueryRow {
  readonly id: string
  readonly name?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
}

export interface ImpedimentQueryRow {
  readonly id: string
  readonly name?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
}

export interface UserQueryRow {
  readonly id: string
  readonly name?: string
  readonly login?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
}

export interface ProjectQueryRow {
  readonly id: string
  readonly name?: string
  readonly organizationId?: string
  readonly description?: string | null
  readonly isArchived?: boolean
  readonly key?: string
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly organization?: OrganizationQueryRow | null
}

export interface AssignmentQueryRow {
  readonly id: string
  readonly name?: string
  readonly description?: string | null
  readonly startDate?: string
  readonly endDate?: string
  readonly amountHours?: number
  readonly projectId?: string
  readonly workflowId?: string
  readonly userId?: string
  readonly assignmentTypeId?: string
  readonly priority?: number | null
  readonly number?: number
  readonly parentId?: string | null
  readonly rank?: string
  readonly isUnscheduled?: boolean
  readonly isUnassigned?: boolean
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly workflow?: WorkflowQueryRow | null
  readonly assignmentType?: AssignmentTypeQueryRow | null
  readonly user?: PersonQueryRow | null
  readonly project?: ProjectQueryRow | null
  readonly parent?: AssignmentQueryRow | null
}

export interface AppointmentQueryRow {
  readonly id: string
  readonly description?: string | null
  readonly keepDate?: string
  readonly amountHours?: number
  readonly assignmentId?: string
  readonly userId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly user?: PersonQueryRow | null
  readonly assignment?: AssignmentQueryRow | null
}

export interface AssignmentImpedimentQueryRow {
  readonly id: string
  readonly description?: string | null
  readonly assignmentId?: string
  readonly impedimentId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly impediment?: ImpedimentQueryRow | null
  readonly assignment?: AssignmentQueryRow | null
}

export interface UserAssignmentQueryRow {
  readonly id: string
  readonly userId?: string
  readonly assignmentId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly user?: PersonQueryRow | null
  readonly assignment?: AssignmentQueryRow | null
}

export interface UserProjectQueryRow {
  readonly id: string
  readonly userId?: string
  readonly projectId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly user?: PersonQueryRow | null
  readonly project?: ProjectQueryRow | null
}

export interface ProjectStageQueryRow {
  readonly id: string
  readonly projectId?: string
  readonly workflowId?: string
  readonly order?: number
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown' | null
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly workflow?: WorkflowQueryRow | null
  readonly project?: ProjectQueryRow | null
}

export interface CommentQueryRow {
  readonly id: string
  readonly text?: string
  readonly assignmentId?: string
  readonly userId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly user?: PersonQueryRow | null
  readonly assignment?: AssignmentQueryRow | null
}

export interface LabelQueryRow {
  readonly id: string
  readonly name?: string
  readonly color?: 'gray' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'cyan' | 'blue' | 'indigo' | 'purple' | 'pink' | 'brown'
  readonly description?: string | null
  readonly projectId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly project?: ProjectQueryRow | null
}

export interface AssignmentLabelQueryRow {
  readonly id: string
  readonly assignmentId?: string
  readonly labelId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly assignment?: AssignmentQueryRow | null
  readonly label?: LabelQueryRow | null
}

export interface AssignmentDependencyQueryRow {
  readonly id: string
  readonly assignmentId?: string
  readonly blockedById?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly assignment?: AssignmentQueryRow | null
  readonly blockedBy?: AssignmentQueryRow | null
}

export interface AttachmentQueryRow {
  readonly id: string
  readonly name?: string
  readonly type?: string
  readonly size?: number
  readonly sha256?: string
  readonly assignmentId?: string
  readonly userId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly user?: PersonQueryRow | null
  readonly assignment?: AssignmentQueryRow | null
}

export interface SavedViewQueryRow {
  readonly id: string
  readonly name?: string
  readonly list?: string
  readonly filter?: string | null
  readonly sort?: string | null
  readonly fields?: string | null
  readonly expand?: string | null
  readonly address?: string | null
  readonly userId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly user?: PersonQueryRow | null
}

export interface ProjectViewQueryRow {
  readonly id: string
  readonly name?: string
  readonly list?: string
  readonly filter?: string | null
  readonly sort?: string | null
  readonly fields?: string | null
  readonly expand?: string | null
  readonly address?: string | null
  readonly projectId?: string
  readonly userId?: string
  readonly createdAt?: string
  readonly updatedAt?: string | null
  readonly deletedAt?: string | null
  readonly active?: boolean
  readonly user?: PersonQueryRow | null
  readonly project?: ProjectQueryRow | null
}

export interface OrganizationQueryPage {
  readonly result: {
    readonly data: readonly OrganizationQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface WorkflowQueryPage {
  readonly result: {
    readonly data: readonly WorkflowQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface AssignmentTypeQueryPage {
  readonly result: {
    readonly data: readonly AssignmentTypeQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface ImpedimentQueryPage {
  readonly result: {
    readonly data: readonly ImpedimentQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface UserQueryPage {
  readonly result: {
    readonly data: readonly UserQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface ProjectQueryPage {
  readonly result: {
    readonly data: readonly ProjectQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface AssignmentQueryPage {
  readonly result: {
    readonly data: readonly AssignmentQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface AppointmentQueryPage {
  readonly result: {
    readonly data: readonly AppointmentQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface AssignmentImpedimentQueryPage {
  readonly result: {
    readonly data: readonly AssignmentImpedimentQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface UserAssignmentQueryPage {
  readonly result: {
    readonly data: readonly UserAssignmentQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface UserProjectQueryPage {
  readonly result: {
    readonly data: readonly UserProjectQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface ProjectStageQueryPage {
  readonly result: {
    readonly data: readonly ProjectStageQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface CommentQueryPage {
  readonly result: {
    readonly data: readonly CommentQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface LabelQueryPage {
  readonly result: {
    readonly data: readonly LabelQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface AssignmentLabelQueryPage {
  readonly result: {
    readonly data: readonly AssignmentLabelQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface AssignmentDependencyQueryPage {
  readonly result: {
    readonly data: readonly AssignmentDependencyQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface AttachmentQueryPage {
  readonly result: {
    readonly data: readonly AttachmentQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface SavedViewQueryPage {
  readonly result: {
    readonly data: readonly SavedViewQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface ProjectViewQueryPage {
  readonly result: {
    readonly data: readonly ProjectViewQueryRow[]
    readonly nextCursor: string | null
    readonly totalCount?: number
  }
}

export interface ReportGroup {
  readonly id: string
  readonly name: string | null
}

export interface HoursReport {
  readonly result: {
    readonly groups: readonly {
      readonly person?: ReportGroup
      readonly project?: ReportGroup
      readonly organization?: ReportGroup
      readonly type?: ReportGroup
      readonly workflow?: ReportGroup
      readonly assignment?: ReportGroup
      readonly week?: string
      readonly month?: string
      readonly hours: number
      readonly appointments: number
    }[]
    readonly totalGroups: number
    readonly total: {
      readonly hours: number
      readonly appointments: number
    }
    readonly timeZone: string
  }
}

export interface AssignmentsReport {
  readonly result: {
    readonly groups: readonly {
      readonly person?: ReportGroup
      readonly project?: ReportGroup
      readonly organization?: ReportGroup
      readonly type?: ReportGroup
      readonly workflow?: ReportGroup
      readonly assignment?: ReportGroup
      readonly week?: string
      readonly month?: string
      readonly assignments: number
      readonly plannedHours: number
    }[]
    readonly totalGroups: number
    readonly total: {
      readonly assignments: number
      readonly plannedHours: number
    }
    readonly timeZone: string
  }
}

export interface Session {
  readonly id: string
  readonly userId: string
  readonly clientId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  readonly provider: string | null
  readonly lastUsedAt: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly isCurrent: boolean
}

export interface SessionList {
  readonly sessions: readonly Session[]
}

export interface SessionIds {
  readonly ids: readonly string[]
}

export interface SessionsOfAccount {
  readonly userId?: string
}

export interface OutsideIdentity {
  readonly id: string
  readonly userId: string
  readonly provider: string
  readonly issuer: string
  readonly label: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

export interface OutsideIdentityList {
  readonly identities: readonly OutsideIdentity[]
}

export interface OutsideIdentityId {
  readonly id: string
}

export interface Consent {
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly grantedAt: string
}

export interface ConsentList {
  readonly consents: readonly Consent[]
}

export interface ConsentWithdrawal {
  readonly clientId: string
}

export interface RegisteredClient {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly scopes: readonly string[]
  readonly isFirstParty: boolean
  readonly requiresPkce: boolean
  readonly hasSecret: boolean
  readonly madeBy: string
  readonly createdAt: string
  readonly changedAt: string | null
}

export interface RegisteredClientList {
  readonly clients: readonly RegisteredClient[]
}

export interface ClientCreate {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  readonly scopes?: readonly string[]
  readonly isFirstParty?: boolean
  readonly requiresPkce?: boolean
  readonly hasSecret?: boolean
}

export interface ClientUpdate {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  readonly scopes?: readonly string[]
  readonly isFirstParty?: boolean
  readonly requiresPkce?: boolean
}

export interface ClientId {
  readonly id: string
}

export interface ClientCreated {
  readonly client: RegisteredClient
  readonly secret: string | null
}

export interface Token {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly projectIds: readonly string[] | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly lastUsedAt: string | null
  readonly lastUsedAddress: string | null
}

export interface TokenList {
  readonly tokens: readonly Token[]
}

export interface TokenCreate {
  readonly name: string
  readonly scopes: readonly string[]
  readonly projectIds?: readonly string[] | null
  readonly expiresAt: string
}

export interface TokenCreated {
  readonly token: Token
  readonly secret: string
}

export interface TokenIds {
  readonly ids: readonly string[]
}

export interface Administrator {
  readonly userId: string
  readonly name: string
  readonly givenBy: string
  readonly givenAt: string
}

export interface AdministratorList {
  readonly administrators: readonly Administrator[]
}

export interface AdministratorRole {
  readonly userId: string
}

export interface Deactivation {
  readonly userId: string
  readonly deactivatedBy: string
  readonly deactivatedAt: string
}

export interface DeactivationList {
  readonly deactivations: readonly Deactivation[]
}

export interface DeactivatedAccount {
  readonly userId: string
}

export interface Link {
  readonly id: string
  readonly madeBy: string
  readonly projectId: string | null
  readonly userId: string | null
  readonly recipientName: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

export interface LinkCreated {
  readonly link: Link
  readonly secret: string
}

export interface LinkList {
  readonly links: readonly Link[]
}

export interface LinkId {
  readonly id: string
}

export interface Invitation {
  readonly projectId?: string | null
  readonly recipientName?: string | null
}

export interface InvitationQuestion {
  readonly secret: string
}

export interface ShownInvitation {
  readonly inviter: string
  readonly recipientName: string | null
  readonly projectId: string | null
  readonly project: string | null
  readonly organization: string | null
  readonly expiresAt: string
}

export interface InvitationAnswer {
  readonly secret: string
  readonly name: string
  readonly login: string
  readonly password: string
}

export interface JoinAnswer {
  readonly secret: string
}

export interface JoinedProject {
  readonly projectId: string
}

export interface MailedInvitation {
  readonly projectId?: string | null
  readonly recipientName?: string | null
  readonly mailTo: string
}

export interface MailedLink {
  readonly link: Link
}

export interface PasswordLink {
  readonly userId: string
}

export interface PasswordLinkAnswer {
  readonly secret: string
  readonly newPassword: string
}

export interface Change {
  readonly id: string
  readonly at: string
  readonly resource: 'organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView'
  readonly rowId: string
  readonly action: 'create' | 'update' | 'remove' | 'restore'
  readonly projectId: string | null
  readonly callerId: string | null
  readonly clientId: string | null
  readonly host: string | null
  readonly sessionId: string | null
  readonly requestId: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

export interface ProjectDifference {
  readonly rows: readonly {
    readonly resource: 'organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView'
    readonly rowId: string
    readonly kind: 'added' | 'changed' | 'removed'
    readonly before: Readonly<Record<string, unknown>> | null
    readonly after: Readonly<Record<string, unknown>>
  }[]
}

export interface History {
  readonly result: {
    readonly data: readonly Change[]
    readonly next: string | null
  }
}

export interface Batch {
  readonly mode?: 'allOrNothing' | 'eachForItself'
  readonly items: readonly BatchItem[]
}

export interface BatchItem {
  readonly operation: 'create' | 'update' | 'remove' | 'restore'
  readonly resource: 'organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView'
  readonly body: Readonly<Record<string, unknown>>
  readonly label?: string
  readonly ifMatch?: string
}

export interface BatchResults {
  readonly results: readonly BatchResult[]
}

export interface BatchResult {
  readonly statusCode: number
  readonly id?: string
  readonly etag?: string
  readonly message?: string
  readonly errors?: Readonly<Record<string, readonly string[]>>
}

export interface ChangePage {
  readonly result: {
    readonly data: readonly Change[]
    readonly cursor: string
    readonly hasMore: boolean
  }
}

export interface Notification {
  readonly id: string
  readonly kind: 'assigned' | 'mentioned' | 'commented' | 'blocked' | 'unblocked' | 'dependencyDone' | 'stageChanged' | 'dueTomorrow' | 'overdue'
  readonly assignmentId: string
  readonly assignmentName: string
  readonly projectId: string
  readonly commentId: string | null
  readonly workflowId: string | null
  readonly actorId: string | null
  readonly at: string
  readonly readAt: string | null
}

export interface NotificationPage {
  readonly result: {
    readonly data: readonly Notification[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
    readonly unreadCount: number
  }
}

export interface NotificationMarking {
  readonly isRead: boolean
  readonly ids?: readonly string[]
  readonly all?: boolean
  readonly kind?: readonly ('assigned' | 'mentioned' | 'commented' | 'blocked' | 'unblocked' | 'dependencyDone' | 'stageChanged' | 'dueTomorrow' | 'overdue')[]
}

export interface NotificationsMarked {
  readonly count: number
}

export interface Webhook {
  readonly id: string
  readonly userId: string
  readonly projectId: string | null
  readonly url: string
  readonly name: string | null
  readonly resources: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView')[] | null
  readonly actions: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
  readonly active: boolean
  readonly pausedAt: string | null
  readonly pausedBecause: string | null
  readonly createdAt: string
  readonly waiting: number
}

export interface WebhookWithSecret {
  readonly id: string
  readonly userId: string
  readonly projectId: string | null
  readonly url: string
  readonly name: string | null
  readonly resources: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView')[] | null
  readonly actions: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
  readonly active: boolean
  readonly pausedAt: string | null
  readonly pausedBecause: string | null
  readonly createdAt: string
  readonly waiting: number
  readonly secret: string
}

export interface WebhookCreated {
  readonly webhook: WebhookWithSecret
}

export interface WebhookUpdated {
  readonly webhook: Webhook
}

export interface WebhookList {
  readonly webhooks: readonly Webhook[]
}

export interface WebhookCreate {
  readonly url: string
  readonly name?: string | null
  readonly resources?: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView')[] | null
  readonly actions?: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
  readonly projectId?: string | null
}

export interface WebhookUpdate {
  readonly id: string
  readonly url?: string
  readonly name?: string | null
  readonly resources?: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView')[] | null
  readonly actions?: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
  readonly active?: boolean
}

export interface WebhookId {
  readonly id: string
}

export interface WebhookSecret {
  readonly secret: string
}

export interface WebhookTested {
  readonly messageId: string
}

export interface WebhookReplay {
  readonly id: string
  readonly deliveryId?: string | null
  readonly from?: string | null
  readonly to?: string | null
}

export interface WebhookReplayed {
  readonly count: number
}

export interface WebhookDelivery {
  readonly id: string
  readonly messageId: string
  readonly type: string
  readonly createdAt: string
  readonly deliveredAt: string | null
  readonly nextAt: string | null
  readonly body: string
  readonly attempts: readonly {
    readonly at: string
    readonly milliseconds: number
    readonly status: number | null
    readonly answer: string | null
    readonly error: string | null
    readonly headers: Readonly<Record<string, string>>
  }[]
}

export interface WebhookDeliveries {
  readonly result: {
    readonly data: readonly WebhookDelivery[]
    readonly next: string | null
  }
}

export interface Timer {
  readonly assignmentId: string
  readonly startedAt: string
  readonly assignment: {
    readonly name: string
    readonly projectId: string
  } | null
}

export interface TimerAnswer {
  readonly timer: Timer | null
}

export interface TimerStart {
  readonly assignmentId: string
}

export interface TimerStop {
  readonly amountHours?: number
  readonly keepDate?: string
  readonly description?: string | null
}

export interface TimerStopped {
  readonly appointment: Appointment
}

export interface Watch {
  readonly assignmentId: string
  readonly isWatching: boolean
  readonly isChosen: boolean
}

export interface WatchAnswer {
  readonly watch: Watch
}

export interface WatchChoice {
  readonly assignmentId: string
  readonly isWatching: boolean | null
}

export interface AssignmentMove {
  readonly id: string
  readonly workflowId?: string
  readonly beforeId?: string | null
  readonly afterId?: string | null
}

export interface AccountSettings {
  readonly theme: 'light' | 'dark' | null
  readonly density: 'comfortable' | 'compact' | null
  readonly language: 'en' | 'pt-BR' | null
  readonly notificationMails: 'soon' | 'daily' | 'none' | null
  readonly notificationHour: number | null
  readonly timeZone: string | null
  readonly mutedKinds: readonly ('assigned' | 'mentioned' | 'commented' | 'blocked' | 'unblocked' | 'dependencyDone' | 'stageChanged' | 'dueTomorrow' | 'overdue')[] | null
}

export interface AccountSettingsUpdate {
  readonly theme?: 'light' | 'dark' | null
  readonly density?: 'comfortable' | 'compact' | null
  readonly language?: 'en' | 'pt-BR' | null
  readonly notificationMails?: 'soon' | 'daily' | 'none' | null
  readonly notificationHour?: number | null
  readonly timeZone?: string | null
  readonly mutedKinds?: readonly ('assigned' | 'mentioned' | 'commented' | 'blocked' | 'unblocked' | 'dependencyDone' | 'stageChanged' | 'dueTomorrow' | 'overdue')[] | null
}

export interface AccountSettingsAnswer {
  readonly settings: AccountSettings
}

export interface ModelMessage {
}

export interface ModelAnswer {
}

export interface ProtectedResource {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
  readonly bearer_methods_supported: readonly string[]
  readonly resource_name: string
}

export interface Success {
  readonly success: boolean
}

export interface OrganizationCreate {
  readonly id?: string | null
  readonly name: string
  readonly description?: string | null
}

export interface OrganizationUpdate {
  readonly id: string
  readonly name: string
  readonly description?: string | null
}

export interface OrganizationAnswer {
  readonly organization: Organization
}

export interface OrganizationUpdated {
  readonly success: boolean
  readonly organization: Organization
}

export interface Workflow {
  readonly id: string
  readonly name: string
  readonly order: number
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface WorkflowCreate {
  readonly id?: string | null
  readonly name: string
  readonly order: number
}

export interface WorkflowUpdate {
  readonly id: string
  readonly name: string
  readonly order: number
}

export interface WorkflowPage {
  readonly result: {
    readonly data: readonly Workflow[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface WorkflowAnswer {
  readonly workflow: Workflow
}

export interface WorkflowUpdated {
  readonly success: boolean
  readonly workflow: Workflow
}

export interface AssignmentTypeCreate {
  readonly id?: string | null
  readonly name: string
}

export interface AssignmentTypeUpdate {
  readonly id: string
  readonly name: string
}

export interface AssignmentTypeAnswer {
  readonly assignmentType: AssignmentType
}

export interface AssignmentTypeUpdated {
  readonly success: boolean
  readonly assignmentType: AssignmentType
}

export interface ImpedimentCreate {
  readonly id?: string | null
  readonly name: string
}

export interface ImpedimentUpdate {
  readonly id: string
  readonly name: string
}

export interface ImpedimentAnswer {
  readonly impediment: Impediment
}

export interface ImpedimentUpdated {
  readonly success: boolean
  readonly impediment: Impediment
}

export interface UserCreate {
  readonly id?: string | null
  readonly name: string
  readonly login: string
  readonly password: string
}

export interface UserUpdate {
  readonly id: string
  readonly name: string
  readonly login?: string
  readonly password?: string
}

export interface UserAnswer {
  readonly user: User
}

export interface UserUpdated {
  readonly success: boolean
  readonly user: User
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ProjectCreate {
  readonly id?: string | null
  readonly name: string
  readonly organizationId: string
}

export interface ProjectUpdate {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly expectedVersion?: string
}

export interface ProjectPage {
  readonly result: {
    readonly data: readonly Project[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface ProjectAnswer {
  readonly project: Project
}

export interface VersionedSuccess {
  readonly success: boolean
  readonly message: string | null
  readonly project: Project
}

export interface Assignment {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
  readonly projectId: string
  readonly workflowId: string
  readonly userId: string
  readonly assignmentTypeId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AssignmentCreate {
  readonly id?: string | null
  readonly name: string
  readonly description?: string | null
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
  readonly projectId: string
  readonly workflowId: string
  readonly userId: string
  readonly assignmentTypeId: string
}

export interface AssignmentUpdate {
  readonly id: string
  readonly name: string
  readonly description?: string | null
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: number
  readonly projectId: string
  readonly workflowId: string
  readonly userId: string
  readonly assignmentTypeId: string
}

export interface AssignmentPage {
  readonly result: {
    readonly data: readonly Assignment[]
    readonly totalCount: number
    readonly pageNumber: number
    readonly pageSize: number
    readonly totalPages: number
  }
}

export interface AssignmentAnswer {
  readonly assignment: Assignment
}

export interface AssignmentUpdated {
  readonly success: boolean
  readonly assignment: Assignment
}

export interface AppointmentCreate {
  readonly id?: string | null
  readonly description?: string | null
  readonly keepDate: string
  readonly amountHours: number
  readonly assignmentId: string
  readonly userId: string
}

export interface AppointmentUpdate {
  readonly id: string
  readonly description?: string | null
  readonly keepDate: string
  readonly amountHours: number
  readonly assignmentId: string
  readonly userId: string
}

export interface AppointmentAnswer {
  readonly appointment: Appointment
}

export interface AppointmentUpdated {
  readonly success: boolean
  readonly appointment: Appointment
}

export interface AssignmentImpedimentCreate {
  readonly id?: string | null
  readonly description?: string | null
  readonly assignmentId: string
  readonly impedimentId: string
}

export interface AssignmentImpedimentUpdate {
  readonly id: string
  readonly description?: string | null
  readonly assignmentId: string
  readonly impedimentId: string
}

export interface AssignmentImpedimentAnswer {
  readonly assignmentImpediment: AssignmentImpediment
}

export interface AssignmentImpedimentUpdated {
  readonly success: boolean
  readonly assignmentImpediment: AssignmentImpediment
}

export interface UserAssignmentCreate {
  readonly id?: string | null
  readonly userId: string
  readonly assignmentId: string
}

export interface UserAssignmentUpdate {
  readonly id: string
  readonly userId: string
  readonly assignmentId: string
}

export interface UserAssignmentAnswer {
  readonly userAssignment: UserAssignment
}

export interface UserAssignmentUpdated {
  readonly success: boolean
  readonly userAssignment: UserAssignment
}

export interface UserProjectCreate {
  readonly id?: string | null
  readonly userId: string
  readonly projectId: string
}

export interface UserProjectUpdate {
  readonly id: string
  readonly userId: string
  readonly projectId: string
}

export interface UserProjectAnswer {
  readonly userProject: UserProject
}

export interface UserProjectUpdated {
  readonly success: boolean
  readonly userProject: UserProject
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly login: string
  readonly createdAt: string
  readonly updatedAt: string | null
}

export interface AccountUpdate {
  readonly name: string
}

export interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

/** Every operation by its method and path. */
export interface Operations {
  /** Creates one organization. */
  'POST /api/organization': {
    readonly body: OrganizationCreate
    readonly answer: OrganizationAnswer
  }
  /** Shows one organization. */
  'GET /api/organization': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: OrganizationAnswer
  }
  /** Changes one organization. */
  'PATCH /api/organization': {
    readonly body: OrganizationUpdate
    readonly answer: OrganizationUpdated
  }
  /** Removes organizations, all or none. */
  'DELETE /api/organization': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists organizations; with Accept: text/event-stream, as a live listing. */
  'GET /api/organizations': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, description, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: OrganizationPage
  }
  /** Restores removed organizations, all or none. */
  'POST /api/organization/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one workflow. */
  'POST /api/workflow': {
    readonly body: WorkflowCreate
    readonly answer: WorkflowAnswer
  }
  /** Shows one workflow. */
  'GET /api/workflow': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: WorkflowAnswer
  }
  /** Changes one workflow. */
  'PATCH /api/workflow': {
    readonly body: WorkflowUpdate
    readonly answer: WorkflowUpdated
  }
  /** Removes workflows, all or none. */
  'DELETE /api/workflow': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists workflows; with Accept: text/event-stream, as a live listing. */
  'GET /api/workflows': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, order, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'order' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: WorkflowPage
  }
  /** Restores removed workflows, all or none. */
  'POST /api/workflow/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one assignment type. */
  'POST /api/assignmentType': {
    readonly body: AssignmentTypeCreate
    readonly answer: AssignmentTypeAnswer
  }
  /** Shows one assignment type. */
  'GET /api/assignmentType': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: AssignmentTypeAnswer
  }
  /** Changes one assignment type. */
  'PATCH /api/assignmentType': {
    readonly body: AssignmentTypeUpdate
    readonly answer: AssignmentTypeUpdated
  }
  /** Removes assignment types, all or none. */
  'DELETE /api/assignmentType': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists assignment types; with Accept: text/event-stream, as a live listing. */
  'GET /api/assignmentTypes': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: AssignmentTypePage
  }
  /** Restores removed assignment types, all or none. */
  'POST /api/assignmentType/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one impediment. */
  'POST /api/impediment': {
    readonly body: ImpedimentCreate
    readonly answer: ImpedimentAnswer
  }
  /** Shows one impediment. */
  'GET /api/impediment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: ImpedimentAnswer
  }
  /** Changes one impediment. */
  'PATCH /api/impediment': {
    readonly body: ImpedimentUpdate
    readonly answer: ImpedimentUpdated
  }
  /** Removes impediments, all or none. */
  'DELETE /api/impediment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists impediments; with Accept: text/event-stream, as a live listing. */
  'GET /api/impediments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: ImpedimentPage
  }
  /** Restores removed impediments, all or none. */
  'POST /api/impediment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one user. */
  'POST /api/user': {
    readonly body: UserCreate
    readonly answer: UserAnswer
  }
  /** Shows one user. */
  'GET /api/user': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: UserAnswer
  }
  /** Changes one user. */
  'PATCH /api/user': {
    readonly body: UserUpdate
    readonly answer: UserUpdated
  }
  /** Removes users, all or none. */
  'DELETE /api/user': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists users; with Accept: text/event-stream, as a live listing. */
  'GET /api/users': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, login, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'login' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the login must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: UserPage
  }
  /** Restores removed users, all or none. */
  'POST /api/user/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one project. */
  'POST /api/project': {
    readonly body: ProjectCreate
    readonly answer: ProjectAnswer
  }
  /** Shows one project. */
  'GET /api/project': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: ProjectAnswer
  }
  /** Changes one project. */
  'PATCH /api/project': {
    readonly body: ProjectUpdate
    readonly answer: VersionedSuccess
  }
  /** Removes projects, all or none. */
  'DELETE /api/project': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists projects; with Accept: text/event-stream, as a live listing. */
  'GET /api/projects': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, organizationId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'organizationId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this OrganizationId. */
      readonly organizationId?: string
    }
    readonly answer: ProjectPage
  }
  /** Restores removed projects, all or none. */
  'POST /api/project/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one assignment. */
  'POST /api/assignment': {
    readonly body: AssignmentCreate
    readonly answer: AssignmentAnswer
  }
  /** Shows one assignment. */
  'GET /api/assignment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: AssignmentAnswer
  }
  /** Changes one assignment. */
  'PATCH /api/assignment': {
    readonly body: AssignmentUpdate
    readonly answer: AssignmentUpdated
  }
  /** Removes assignments, all or none. */
  'DELETE /api/assignment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists assignments; with Accept: text/event-stream, as a live listing. */
  'GET /api/assignments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, description, startDate, endDate, amountHours, projectId, workflowId, userId, assignmentTypeId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'startDate' | 'endDate' | 'amountHours' | 'projectId' | 'workflowId' | 'userId' | 'assignmentTypeId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: AssignmentPage
  }
  /** Restores removed assignments, all or none. */
  'POST /api/assignment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one appointment. */
  'POST /api/appointment': {
    readonly body: AppointmentCreate
    readonly answer: AppointmentAnswer
  }
  /** Shows one appointment. */
  'GET /api/appointment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: AppointmentAnswer
  }
  /** Changes one appointment. */
  'PATCH /api/appointment': {
    readonly body: AppointmentUpdate
    readonly answer: AppointmentUpdated
  }
  /** Removes appointments, all or none. */
  'DELETE /api/appointment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists appointments; with Accept: text/event-stream, as a live listing. */
  'GET /api/appointments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, description, keepDate, amountHours, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'keepDate' | 'amountHours' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: AppointmentPage
  }
  /** Restores removed appointments, all or none. */
  'POST /api/appointment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one assignment impediment. */
  'POST /api/assignmentImpediment': {
    readonly body: AssignmentImpedimentCreate
    readonly answer: AssignmentImpedimentAnswer
  }
  /** Shows one assignment impediment. */
  'GET /api/assignmentImpediment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: AssignmentImpedimentAnswer
  }
  /** Changes one assignment impediment. */
  'PATCH /api/assignmentImpediment': {
    readonly body: AssignmentImpedimentUpdate
    readonly answer: AssignmentImpedimentUpdated
  }
  /** Removes assignment impediments, all or none. */
  'DELETE /api/assignmentImpediment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists assignment impediments; with Accept: text/event-stream, as a live listing. */
  'GET /api/assignmentImpediments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, description, assignmentId, impedimentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'assignmentId' | 'impedimentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
    }
    readonly answer: AssignmentImpedimentPage
  }
  /** Restores removed assignment impediments, all or none. */
  'POST /api/assignmentImpediment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one user assignment. */
  'POST /api/userAssignment': {
    readonly body: UserAssignmentCreate
    readonly answer: UserAssignmentAnswer
  }
  /** Shows one user assignment. */
  'GET /api/userAssignment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: UserAssignmentAnswer
  }
  /** Changes one user assignment. */
  'PATCH /api/userAssignment': {
    readonly body: UserAssignmentUpdate
    readonly answer: UserAssignmentUpdated
  }
  /** Removes user assignments, all or none. */
  'DELETE /api/userAssignment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists user assignments; with Accept: text/event-stream, as a live listing. */
  'GET /api/userAssignments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, userId, assignmentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'assignmentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: UserAssignmentPage
  }
  /** Restores removed user assignments, all or none. */
  'POST /api/userAssignment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one user project. */
  'POST /api/userProject': {
    readonly body: UserProjectCreate
    readonly answer: UserProjectAnswer
  }
  /** Shows one user project. */
  'GET /api/userProject': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
    }
    readonly answer: UserProjectAnswer
  }
  /** Changes one user project. */
  'PATCH /api/userProject': {
    readonly body: UserProjectUpdate
    readonly answer: UserProjectUpdated
  }
  /** Removes user projects, all or none. */
  'DELETE /api/userProject': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists user projects; with Accept: text/event-stream, as a live listing. */
  'GET /api/userProjects': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, userId, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: UserProjectPage
  }
  /** Restores removed user projects, all or none. */
  'POST /api/userProject/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Shows the caller’s account. */
  'GET /api/me': {
    readonly answer: Account
  }
  /** Changes the caller’s name. */
  'PATCH /api/me': {
    readonly body: AccountUpdate
    readonly answer: Success
  }
  /** Changes the caller’s password and ends every session of the account. */
  'POST /api/me/password': {
    readonly body: PasswordChange
    readonly answer: Success
  }
  /** Lists active accounts that share a project with the caller, by name; all of them for administrators. With Accept: text/event-stream, as a live listing. */
  'GET /ext/people': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: PersonPage
  }
  /** Lists removed organizations that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/organizations': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, description, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: OrganizationPage
  }
  /** Lists removed workflows that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/workflows': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, order, isDone, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'order' | 'isDone' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: ExtWorkflowPage
  }
  /** Lists removed assignment types that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/assignmentTypes': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: AssignmentTypePage
  }
  /** Lists removed impediments that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/impediments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: ImpedimentPage
  }
  /** Lists removed users that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/users': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, login, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'login' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the login must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: UserPage
  }
  /** Lists removed projects that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/projects': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, organizationId, description, isArchived, key, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'organizationId' | 'description' | 'isArchived' | 'key' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this OrganizationId. */
      readonly organizationId?: string
    }
    readonly answer: ExtProjectPage
  }
  /** Lists removed assignments that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/assignments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, description, startDate, endDate, amountHours, projectId, workflowId, userId, assignmentTypeId, priority, number, parentId, rank, isUnscheduled, isUnassigned, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'startDate' | 'endDate' | 'amountHours' | 'projectId' | 'workflowId' | 'userId' | 'assignmentTypeId' | 'priority' | 'number' | 'parentId' | 'rank' | 'isUnscheduled' | 'isUnassigned' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
      /** Only rows with this ParentId. */
      readonly parentId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: ExtAssignmentPage
  }
  /** Lists removed appointments that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/appointments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, description, keepDate, amountHours, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'keepDate' | 'amountHours' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: AppointmentPage
  }
  /** Lists removed assignment impediments that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/assignmentImpediments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, description, assignmentId, impedimentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'assignmentId' | 'impedimentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
    }
    readonly answer: AssignmentImpedimentPage
  }
  /** Lists removed user assignments that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/userAssignments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, userId, assignmentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'assignmentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: UserAssignmentPage
  }
  /** Lists removed user projects that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/userProjects': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, userId, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: UserProjectPage
  }
  /** Lists removed project stages that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/projectStages': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, projectId, workflowId, order, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'projectId' | 'workflowId' | 'order' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
    }
    readonly answer: ProjectStagePage
  }
  /** Lists removed comments that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/comments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, text, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'text' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the text must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: CommentPage
  }
  /** Lists removed labels that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/labels': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, color, description, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'color' | 'description' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: LabelPage
  }
  /** Lists removed assignment labels that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/assignmentLabels': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, assignmentId, labelId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'labelId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this LabelId. */
      readonly labelId?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: AssignmentLabelPage
  }
  /** Lists removed assignment dependencies that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/assignmentDependencies': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, assignmentId, blockedById, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'blockedById' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this BlockedById. */
      readonly blockedById?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: AssignmentDependencyPage
  }
  /** Lists removed attachments that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/attachments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, type, size, sha256, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'type' | 'size' | 'sha256' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: AttachmentPage
  }
  /** Lists removed saved views that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/savedViews': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, list, filter, sort, fields, expand, address, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: SavedViewPage
  }
  /** Lists removed project views that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/removed/projectViews': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, list, filter, sort, fields, expand, address, projectId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'projectId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: ProjectViewPage
  }
  /** Creates one workflow. */
  'POST /ext/workflow': {
    readonly body: ExtWorkflowCreate
    readonly answer: ExtWorkflowAnswer
  }
  /** Shows one workflow. */
  'GET /ext/workflow': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: ExtWorkflowAnswer
  }
  /** Changes one workflow. */
  'PATCH /ext/workflow': {
    readonly body: ExtWorkflowUpdate
    readonly answer: ExtWorkflowUpdated
  }
  /** Removes workflows, all or none. */
  'DELETE /ext/workflow': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists workflows; with Accept: text/event-stream, as a live listing. */
  'GET /ext/workflows': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, order, isDone, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'order' | 'isDone' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: ExtWorkflowPage
  }
  /** Restores removed workflows, all or none. */
  'POST /ext/workflow/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one project. */
  'POST /ext/project': {
    readonly body: ExtProjectCreate
    readonly answer: ExtProjectAnswer
  }
  /** Shows one project. */
  'GET /ext/project': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: ExtProjectAnswer
  }
  /** Changes one project. */
  'PATCH /ext/project': {
    readonly body: ExtProjectUpdate
    readonly answer: ProjectUpdated
  }
  /** Removes projects, all or none. */
  'DELETE /ext/project': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists projects; with Accept: text/event-stream, as a live listing. */
  'GET /ext/projects': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, organizationId, description, isArchived, key, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'organizationId' | 'description' | 'isArchived' | 'key' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this OrganizationId. */
      readonly organizationId?: string
    }
    readonly answer: ExtProjectPage
  }
  /** Restores removed projects, all or none. */
  'POST /ext/project/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one assignment. */
  'POST /ext/assignment': {
    readonly body: ExtAssignmentCreate
    readonly answer: ExtAssignmentAnswer
  }
  /** Shows one assignment. */
  'GET /ext/assignment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: ExtAssignmentAnswer
  }
  /** Changes one assignment. */
  'PATCH /ext/assignment': {
    readonly body: ExtAssignmentUpdate
    readonly answer: ExtAssignmentUpdated
  }
  /** Removes assignments, all or none. */
  'DELETE /ext/assignment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists assignments; with Accept: text/event-stream, as a live listing. */
  'GET /ext/assignments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, description, startDate, endDate, amountHours, projectId, workflowId, userId, assignmentTypeId, priority, number, parentId, rank, isUnscheduled, isUnassigned, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'startDate' | 'endDate' | 'amountHours' | 'projectId' | 'workflowId' | 'userId' | 'assignmentTypeId' | 'priority' | 'number' | 'parentId' | 'rank' | 'isUnscheduled' | 'isUnassigned' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
      /** Only rows with this ParentId. */
      readonly parentId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: ExtAssignmentPage
  }
  /** Restores removed assignments, all or none. */
  'POST /ext/assignment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one project stage. */
  'POST /ext/projectStage': {
    readonly body: ProjectStageCreate
    readonly answer: ProjectStageAnswer
  }
  /** Shows one project stage. */
  'GET /ext/projectStage': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: ProjectStageAnswer
  }
  /** Changes one project stage. */
  'PATCH /ext/projectStage': {
    readonly body: ProjectStageUpdate
    readonly answer: ProjectStageUpdated
  }
  /** Removes project stages, all or none. */
  'DELETE /ext/projectStage': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists project stages; with Accept: text/event-stream, as a live listing. */
  'GET /ext/projectStages': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, projectId, workflowId, order, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'projectId' | 'workflowId' | 'order' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
    }
    readonly answer: ProjectStagePage
  }
  /** Restores removed project stages, all or none. */
  'POST /ext/projectStage/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one comment. */
  'POST /ext/comment': {
    readonly body: CommentCreate
    readonly answer: CommentAnswer
  }
  /** Shows one comment. */
  'GET /ext/comment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: CommentAnswer
  }
  /** Changes one comment. */
  'PATCH /ext/comment': {
    readonly body: CommentUpdate
    readonly answer: CommentUpdated
  }
  /** Removes comments, all or none. */
  'DELETE /ext/comment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists comments; with Accept: text/event-stream, as a live listing. */
  'GET /ext/comments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, text, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'text' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the text must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: CommentPage
  }
  /** Restores removed comments, all or none. */
  'POST /ext/comment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one label. */
  'POST /ext/label': {
    readonly body: LabelCreate
    readonly answer: LabelAnswer
  }
  /** Shows one label. */
  'GET /ext/label': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: LabelAnswer
  }
  /** Changes one label. */
  'PATCH /ext/label': {
    readonly body: LabelUpdate
    readonly answer: LabelUpdated
  }
  /** Removes labels, all or none. */
  'DELETE /ext/label': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists labels; with Accept: text/event-stream, as a live listing. */
  'GET /ext/labels': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, color, description, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'color' | 'description' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: LabelPage
  }
  /** Restores removed labels, all or none. */
  'POST /ext/label/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one assignment label. */
  'POST /ext/assignmentLabel': {
    readonly body: AssignmentLabelCreate
    readonly answer: AssignmentLabelAnswer
  }
  /** Shows one assignment label. */
  'GET /ext/assignmentLabel': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: AssignmentLabelAnswer
  }
  /** Changes one assignment label. */
  'PATCH /ext/assignmentLabel': {
    readonly body: AssignmentLabelUpdate
    readonly answer: AssignmentLabelUpdated
  }
  /** Removes assignment labels, all or none. */
  'DELETE /ext/assignmentLabel': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists assignment labels; with Accept: text/event-stream, as a live listing. */
  'GET /ext/assignmentLabels': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, assignmentId, labelId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'labelId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this LabelId. */
      readonly labelId?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: AssignmentLabelPage
  }
  /** Restores removed assignment labels, all or none. */
  'POST /ext/assignmentLabel/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one assignment dependency. */
  'POST /ext/assignmentDependency': {
    readonly body: AssignmentDependencyCreate
    readonly answer: AssignmentDependencyAnswer
  }
  /** Shows one assignment dependency. */
  'GET /ext/assignmentDependency': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: AssignmentDependencyAnswer
  }
  /** Changes one assignment dependency. */
  'PATCH /ext/assignmentDependency': {
    readonly body: AssignmentDependencyUpdate
    readonly answer: AssignmentDependencyUpdated
  }
  /** Removes assignment dependencies, all or none. */
  'DELETE /ext/assignmentDependency': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists assignment dependencies; with Accept: text/event-stream, as a live listing. */
  'GET /ext/assignmentDependencies': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, assignmentId, blockedById, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'blockedById' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this BlockedById. */
      readonly blockedById?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: AssignmentDependencyPage
  }
  /** Restores removed assignment dependencies, all or none. */
  'POST /ext/assignmentDependency/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Shows one attachment. */
  'GET /ext/attachment': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: AttachmentAnswer
  }
  /** Changes one attachment. */
  'PATCH /ext/attachment': {
    readonly body: AttachmentUpdate
    readonly answer: AttachmentUpdated
  }
  /** Removes attachments, all or none. */
  'DELETE /ext/attachment': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Uploads a file to an assignment. */
  'POST /ext/attachment': {
    readonly query: {
      /** The assignment. */
      readonly assignmentId: string
      /** The name of the file. Folders and hidden characters are removed, and a name that is too long is shortened before its extension. */
      readonly name: string
    }
    readonly body: Blob
    readonly answer: AttachmentAnswer
  }
  /** Lists attachments; with Accept: text/event-stream, as a live listing. */
  'GET /ext/attachments': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, type, size, sha256, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'type' | 'size' | 'sha256' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: AttachmentPage
  }
  /** Restores removed attachments, all or none. */
  'POST /ext/attachment/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one saved view. */
  'POST /ext/savedView': {
    readonly body: SavedViewCreate
    readonly answer: SavedViewAnswer
  }
  /** Shows one saved view. */
  'GET /ext/savedView': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: SavedViewAnswer
  }
  /** Changes one saved view. */
  'PATCH /ext/savedView': {
    readonly body: SavedViewUpdate
    readonly answer: SavedViewUpdated
  }
  /** Removes saved views, all or none. */
  'DELETE /ext/savedView': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists saved views; with Accept: text/event-stream, as a live listing. */
  'GET /ext/savedViews': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, list, filter, sort, fields, expand, address, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: SavedViewPage
  }
  /** Restores removed saved views, all or none. */
  'POST /ext/savedView/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Creates one project view. */
  'POST /ext/projectView': {
    readonly body: ProjectViewCreate
    readonly answer: ProjectViewAnswer
  }
  /** Shows one project view. */
  'GET /ext/projectView': {
    readonly query: {
      /** The id of the record. */
      readonly id: string
      /** A date and time: returns the row as of that instant, for callers who may see it now. */
      readonly at?: string
    }
    readonly answer: ProjectViewAnswer
  }
  /** Changes one project view. */
  'PATCH /ext/projectView': {
    readonly body: ProjectViewUpdate
    readonly answer: ProjectViewUpdated
  }
  /** Removes project views, all or none. */
  'DELETE /ext/projectView': {
    readonly body: IdList
    readonly answer: Success
  }
  /** Lists project views; with Accept: text/event-stream, as a live listing. */
  'GET /ext/projectViews': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** One of id, name, list, filter, sort, fields, expand, address, projectId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'projectId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: ProjectViewPage
  }
  /** Restores removed project views, all or none. */
  'POST /ext/projectView/restore': {
    readonly body: DistinctIdList
    readonly answer: Success
  }
  /** Shows the assignment with a key such as MBA-12. */
  'GET /ext/assignment/by-key': {
    readonly query: {
      /** The key of the project, a hyphen and the number of the assignment, in upper or lower case. */
      readonly key: string
    }
    readonly answer: ExtAssignmentAnswer
  }
  /** Moves an assignment within the manual order of a stage. */
  'POST /ext/assignment/move': {
    readonly body: AssignmentMove
    readonly answer: ExtAssignmentAnswer
  }
  /** Queries organizations with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/organizations': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, description, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: OrganizationQueryPage
  }
  /** Queries workflows with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/workflows': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, order, isDone, color, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, order, isDone, color, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: WorkflowQueryPage
  }
  /** Queries assignment types with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/assignmentTypes': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: AssignmentTypeQueryPage
  }
  /** Queries impediments with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/impediments': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: ImpedimentQueryPage
  }
  /** Queries users with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/users': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, login, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, login, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: UserQueryPage
  }
  /** Queries projects with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/projects': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, organizationId, description, isArchived, key, color, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, organizationId, isArchived, key, color, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: organization. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: ProjectQueryPage
  }
  /** Queries assignments with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/assignments': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, description, startDate, endDate, amountHours, projectId, workflowId, userId, assignmentTypeId, priority, number, parentId, rank, isUnscheduled, isUnassigned, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, startDate, endDate, amountHours, projectId, workflowId, userId, assignmentTypeId, priority, number, parentId, rank, isUnscheduled, isUnassigned, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: workflow, assignmentType, user, project, parent. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: AssignmentQueryPage
  }
  /** Queries appointments with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/appointments': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, description, keepDate, amountHours, assignmentId, userId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, keepDate, amountHours, assignmentId, userId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: user, assignment. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: AppointmentQueryPage
  }
  /** Queries assignment impediments with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/assignmentImpediments': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, description, assignmentId, impedimentId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, assignmentId, impedimentId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: impediment, assignment. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: AssignmentImpedimentQueryPage
  }
  /** Queries user assignments with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/userAssignments': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, userId, assignmentId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, userId, assignmentId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: user, assignment. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: UserAssignmentQueryPage
  }
  /** Queries user projects with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/userProjects': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, userId, projectId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, userId, projectId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: user, project. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: UserProjectQueryPage
  }
  /** Queries project stages with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/projectStages': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, projectId, workflowId, order, color, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, projectId, workflowId, order, color, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: workflow, project. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: ProjectStageQueryPage
  }
  /** Queries comments with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/comments': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, text, assignmentId, userId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, assignmentId, userId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: user, assignment. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: CommentQueryPage
  }
  /** Queries labels with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/labels': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, color, description, projectId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, color, projectId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: project. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: LabelQueryPage
  }
  /** Queries assignment labels with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/assignmentLabels': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, assignmentId, labelId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, assignmentId, labelId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: assignment, label. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: AssignmentLabelQueryPage
  }
  /** Queries assignment dependencies with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/assignmentDependencies': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, assignmentId, blockedById, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, assignmentId, blockedById, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: assignment, blockedBy. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: AssignmentDependencyQueryPage
  }
  /** Queries attachments with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/attachments': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, type, size, sha256, assignmentId, userId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, type, size, sha256, assignmentId, userId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: user, assignment. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: AttachmentQueryPage
  }
  /** Queries saved views with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/savedViews': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, list, filter, sort, fields, expand, address, userId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, list, userId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: user. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: SavedViewQueryPage
  }
  /** Queries project views with a filter, an order and chosen fields; with Accept: text/event-stream, as a live listing. */
  'GET /ext/query/projectViews': {
    readonly query: {
      /** The condition that rows must satisfy, such as createdAt ge '2026-01-01'. The grammar is in docs/reading.md. Fields: id, name, list, filter, sort, fields, expand, address, projectId, userId, createdAt, updatedAt. */
      readonly filter?: string
      /** Up to 4 fields, separated by commas, each descending after a minus; ties are sorted by id. Fields: id, name, list, projectId, userId, createdAt, updatedAt. */
      readonly sort?: string
      /** Up to 60 names of fields to return, separated by commas; fields of an expanded row are prefixed with its name and a dot. The id is always returned; by default all fields are. */
      readonly fields?: string
      /** Up to 6 references, separated by commas, whose rows are returned as well; dots expand nested references, up to 3 deep. Available: user, project. */
      readonly expand?: string
      /** Rows in a page. */
      readonly pageSize?: number
      /** The nextCursor of the previous page, with the same filter and sort. */
      readonly cursor?: string
      /** The id of a saved view, your own or one that is shared with a project. It supplies filter, sort, fields and expand unless they are given here. */
      readonly view?: string
      /** Whether to count the rows of all pages. */
      readonly count?: boolean
      /** A date and time: returns the rows as of that instant, for callers who may see them now. */
      readonly at?: string
    }
    readonly answer: ProjectViewQueryPage
  }
  /** Sums appointments by groups; with Accept: text/csv as a table, with Accept: text/event-stream live. */
  'GET /ext/reports/hours': {
    readonly query: {
      /** 1 to 3 of person, project, organization, type, workflow, assignment, week, month, separated by commas; groups are sorted in this order. */
      readonly groupBy: string
      /** Only appointments whose keepDate is on this day or later, in the time zone. */
      readonly dateFrom?: string
      /** Only appointments whose keepDate is before this day, in the time zone. */
      readonly dateTo?: string
      /** The time zone in which days, weeks and months begin: UTC, or a name of the IANA database such as Europe/Berlin. */
      readonly timeZone?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this OrganizationId. */
      readonly organizationId?: string
      /** Only rows with this AssignmentTypeId. */
      readonly assignmentTypeId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** The maximum number of groups returned; the total covers all groups. */
      readonly limit?: number
    }
    readonly answer: HoursReport
  }
  /** Sums assignments by groups; with Accept: text/csv as a table, with Accept: text/event-stream live. */
  'GET /ext/reports/assignments': {
    readonly query: {
      /** 1 to 3 of person, project, organization, type, workflow, assignment, week, month, separated by commas; groups are sorted in this order. */
      readonly groupBy: string
      /** Only assignments whose startDate is on this day or later, in the time zone. */
      readonly dateFrom?: string
      /** Only assignments whose startDate is before this day, in the time zone. */
      readonly dateTo?: string
      /** The time zone in which days, weeks and months begin: UTC, or a name of the IANA database such as Europe/Berlin. */
      readonly timeZone?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this OrganizationId. */
      readonly organizationId?: string
      /** Only rows with this AssignmentTypeId. */
      readonly assignmentTypeId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** The maximum number of groups returned; the total covers all groups. */
      readonly limit?: number
    }
    readonly answer: AssignmentsReport
  }
  /** Lists the newest 100 active sessions of the caller’s account. Administrators may list those of any account. */
  'GET /ext/sessions': {
    readonly query: {
      /** The account; by default the caller’s. */
      readonly userId?: string
    }
    readonly answer: SessionList
  }
  /** Ends these sessions, all or none: their cookies and tokens stop working within 30 seconds. */
  'DELETE /ext/sessions': {
    readonly body: SessionIds
    readonly answer: Success
  }
  /** Ends every session of the caller’s account, including that of this request, and the tokens of service clients that act as it. Administrators may name another account. */
  'POST /ext/sessions/end-all': {
    readonly body: SessionsOfAccount
    readonly answer: Success
  }
  /** Lists the external identities linked to the caller’s account. Administrators may list those of any account. */
  'GET /ext/identities': {
    readonly query: {
      /** The account; by default the caller’s. */
      readonly userId?: string
    }
    readonly answer: OutsideIdentityList
  }
  /** Unlinks an external identity and ends the sessions that it started. */
  'DELETE /ext/identities': {
    readonly body: OutsideIdentityId
    readonly answer: Success
  }
  /** Lists the consents that the caller’s account has given to clients. Administrators may list those of any account. */
  'GET /ext/consents': {
    readonly query: {
      /** The account; by default the caller’s. */
      readonly userId?: string
    }
    readonly answer: ConsentList
  }
  /** Withdraws a consent that the caller’s account has given to a client. */
  'DELETE /ext/consents': {
    readonly body: ConsentWithdrawal
    readonly answer: Success
  }
  /** Lists the clients that administrators have registered. For administrators only, like the other operations. */
  'GET /ext/clients': {
    readonly answer: RegisteredClientList
  }
  /** Registers a client in which users sign in. */
  'POST /ext/clients': {
    readonly body: ClientCreate
    readonly answer: ClientCreated
  }
  /** Changes a client; absent properties get their defaults. */
  'PATCH /ext/clients': {
    readonly body: ClientUpdate
    readonly answer: RegisteredClient
  }
  /** Ends a client: users can no longer sign in to it, and its tokens stop working within 30 seconds. */
  'DELETE /ext/clients': {
    readonly body: ClientId
    readonly answer: Success
  }
  /** Gives a client a new secret, which is shown only once. */
  'POST /ext/clients/secret': {
    readonly body: ClientId
    readonly answer: ClientCreated
  }
  /** Lists the valid tokens of the caller’s account. Administrators may list those of any account. */
  'GET /ext/tokens': {
    readonly query: {
      /** The account; by default the caller’s. */
      readonly userId?: string
    }
    readonly answer: TokenList
  }
  /** Creates a personal access token, which programs send as a bearer token. */
  'POST /ext/tokens': {
    readonly body: TokenCreate
    readonly answer: TokenCreated
  }
  /** Ends these tokens, all or none: they stop working within 30 seconds. */
  'DELETE /ext/tokens': {
    readonly body: TokenIds
    readonly answer: Success
  }
  /** Lists the administrators that another administrator has appointed. For administrators only, like the other operations. */
  'GET /ext/administrators': {
    readonly answer: AdministratorList
  }
  /** Makes an account an administrator, effective with its next access token. */
  'POST /ext/administrators': {
    readonly body: AdministratorRole
    readonly answer: Success
  }
  /** Revokes the role within 30 seconds; administrators cannot revoke their own. */
  'DELETE /ext/administrators': {
    readonly body: AdministratorRole
    readonly answer: Success
  }
  /** Returns which of these accounts are deactivated. For administrators only, like the other operations. */
  'GET /ext/deactivations': {
    readonly query: {
      /** The ids of up to 100 accounts, separated by commas. */
      readonly ids: string
    }
    readonly answer: DeactivationList
  }
  /** Deactivates an account: it can no longer sign in, and everything issued to it is invalidated. */
  'POST /ext/deactivations': {
    readonly body: DeactivatedAccount
    readonly answer: Success
  }
  /** Reactivates an account: it can sign in again with its previous password. */
  'DELETE /ext/deactivations': {
    readonly body: DeactivatedAccount
    readonly answer: Success
  }
  /** Creates an invitation link, with which one person can create an account that is a member of the project. */
  'POST /ext/invitations': {
    readonly body: Invitation
    readonly answer: LinkCreated
  }
  /** Lists the open invitations that the caller has created, or all open invitations to one of the caller’s projects. */
  'GET /ext/invitations': {
    readonly query: {
      /** Lists the invitations to this project, whoever created them; by default those that the caller created. */
      readonly projectId?: string
    }
    readonly answer: LinkList
  }
  /** Ends an invitation at once. */
  'DELETE /ext/invitations': {
    readonly body: LinkId
    readonly answer: Success
  }
  /** Returns the inviter and the project of an invitation. It needs no token. */
  'POST /ext/invitations/read': {
    readonly body: InvitationQuestion
    readonly answer: ShownInvitation
  }
  /** Accepts an invitation by creating a new account. It needs no token. */
  'POST /ext/invitations/accept': {
    readonly body: InvitationAnswer
    readonly answer: Success
  }
  /** Accepts an invitation with the caller’s account, which becomes a member of the project. */
  'POST /ext/invitations/join': {
    readonly body: JoinAnswer
    readonly answer: JoinedProject
  }
  /** Creates a password-reset link for a user. For administrators only. */
  'POST /ext/password-links': {
    readonly body: PasswordLink
    readonly answer: LinkCreated
  }
  /** Sets a new password for the account of the link. It needs no token. */
  'POST /ext/password-links/use': {
    readonly body: PasswordLinkAnswer
    readonly answer: Success
  }
  /** Sends an invitation by mail, if the server can send mail. */
  'POST /ext/invitations/mail': {
    readonly body: MailedInvitation
    readonly answer: MailedLink
  }
  /** Sends a password-reset link to the login of an account. For administrators only. */
  'POST /ext/password-links/mail': {
    readonly body: PasswordLink
    readonly answer: Success
  }
  /** Lists the changes of a row, or of everything in a project, newest first, with user and fields before and after. */
  'GET /ext/history': {
    readonly query: {
      /** The resource, such as assignment. */
      readonly resource?: 'organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'projectStage' | 'comment' | 'label' | 'assignmentLabel' | 'assignmentDependency' | 'attachment' | 'savedView' | 'projectView'
      /** The id of the row. */
      readonly id?: string
      /** Selects the changes of all rows in this project. */
      readonly projectId?: string
      /** Selects this assignment with all that belongs to it: comments, appointments, impediments, people, labels, dependencies and files. */
      readonly assignmentId?: string
      /** Only changes before the one with this id. */
      readonly before?: string
      /** Changes in a page. */
      readonly pageSize?: number
    }
    readonly answer: History
  }
  /** Compares a project at two instants: lists the rows that were added, changed or removed. */
  'GET /ext/project/difference': {
    readonly query: {
      /** The id of the project. */
      readonly id: string
      /** The first instant. */
      readonly from: string
      /** The second instant. */
      readonly to: string
    }
    readonly answer: ProjectDifference
  }
  /** Creates, changes, removes and restores rows of any resources, either all or none, or each item independently. */
  'POST /ext/batch': {
    readonly body: Batch
    readonly answer: BatchResults
  }
  /** Lists every committed change that the caller may see, without gaps or duplicates, page by page with a cursor; with Accept: text/event-stream, as an endless stream that continues after Last-Event-ID. */
  'GET /ext/changes': {
    readonly query: {
      /** The `cursor` of the previous page, or `now` to get only future changes. If absent, starts at the oldest change that is kept. */
      readonly after?: string
      /** Only changes of these resources, separated by commas: organization, workflow, assignmentType, impediment, user, project, assignment, appointment, assignmentImpediment, userAssignment, userProject, projectStage, comment, label, assignmentLabel, assignmentDependency, attachment, savedView, projectView. */
      readonly resource?: string
      /** Only changes with these actions, separated by commas: create, update, remove, restore. */
      readonly action?: string
      /** Only changes in this project. */
      readonly projectId?: string
      /** Changes in a page. */
      readonly pageSize?: number
    }
    readonly answer: ChangePage
  }
  /** Returns all rows of the list of people, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/people': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of organizations, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/organizations': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, description, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of workflows, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/workflows': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, order, isDone, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'order' | 'isDone' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of assignment types, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/assignmentTypes': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of impediments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/impediments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of users, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/users': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, login, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'login' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the login must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of projects, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/projects': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, organizationId, description, isArchived, key, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'organizationId' | 'description' | 'isArchived' | 'key' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this OrganizationId. */
      readonly organizationId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of assignments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/assignments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, description, startDate, endDate, amountHours, projectId, workflowId, userId, assignmentTypeId, priority, number, parentId, rank, isUnscheduled, isUnassigned, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'startDate' | 'endDate' | 'amountHours' | 'projectId' | 'workflowId' | 'userId' | 'assignmentTypeId' | 'priority' | 'number' | 'parentId' | 'rank' | 'isUnscheduled' | 'isUnassigned' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
      /** Only rows with this ParentId. */
      readonly parentId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of appointments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/appointments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, description, keepDate, amountHours, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'keepDate' | 'amountHours' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of assignment impediments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/assignmentImpediments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, description, assignmentId, impedimentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'assignmentId' | 'impedimentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of user assignments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/userAssignments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, userId, assignmentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'assignmentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of user projects, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/userProjects': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, userId, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of project stages, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/projectStages': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, projectId, workflowId, order, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'projectId' | 'workflowId' | 'order' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of comments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/comments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, text, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'text' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the text must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of labels, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/labels': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, color, description, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'color' | 'description' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of assignment labels, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/assignmentLabels': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, assignmentId, labelId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'labelId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this LabelId. */
      readonly labelId?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of assignment dependencies, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/assignmentDependencies': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, assignmentId, blockedById, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'blockedById' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this BlockedById. */
      readonly blockedById?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of attachments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/attachments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, type, size, sha256, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'type' | 'size' | 'sha256' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of saved views, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/savedViews': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, list, filter, sort, fields, expand, address, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of project views, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/projectViews': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, list, filter, sort, fields, expand, address, projectId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'projectId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed organizations, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/organizations': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, description, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed workflows, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/workflows': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, order, isDone, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'order' | 'isDone' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed assignment types, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/assignmentTypes': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed impediments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/impediments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed users, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/users': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, login, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'login' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the login must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed projects, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/projects': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, organizationId, description, isArchived, key, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'organizationId' | 'description' | 'isArchived' | 'key' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this OrganizationId. */
      readonly organizationId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed assignments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/assignments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, description, startDate, endDate, amountHours, projectId, workflowId, userId, assignmentTypeId, priority, number, parentId, rank, isUnscheduled, isUnassigned, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'description' | 'startDate' | 'endDate' | 'amountHours' | 'projectId' | 'workflowId' | 'userId' | 'assignmentTypeId' | 'priority' | 'number' | 'parentId' | 'rank' | 'isUnscheduled' | 'isUnassigned' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
      /** Only rows with this ParentId. */
      readonly parentId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed appointments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/appointments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, description, keepDate, amountHours, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'keepDate' | 'amountHours' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateFrom?: string
      /** A date, or a date and time; without an offset it is UTC. */
      readonly dateTo?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed assignment impediments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/assignmentImpediments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, description, assignmentId, impedimentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'description' | 'assignmentId' | 'impedimentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed user assignments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/userAssignments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, userId, assignmentId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'assignmentId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed user projects, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/userProjects': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, userId, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'userId' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed project stages, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/projectStages': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, projectId, workflowId, order, color, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'projectId' | 'workflowId' | 'order' | 'color' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this WorkflowId. */
      readonly workflowId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed comments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/comments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, text, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'text' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the text must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed labels, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/labels': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, color, description, projectId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'color' | 'description' | 'projectId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name or the description must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed assignment labels, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/assignmentLabels': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, assignmentId, labelId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'labelId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this LabelId. */
      readonly labelId?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed assignment dependencies, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/assignmentDependencies': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, assignmentId, blockedById, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'assignmentId' | 'blockedById' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Accepted, and without effect: there is no text to search. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this BlockedById. */
      readonly blockedById?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed attachments, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/attachments': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, type, size, sha256, assignmentId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'type' | 'size' | 'sha256' | 'assignmentId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this AssignmentId. */
      readonly assignmentId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed saved views, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/savedViews': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, list, filter, sort, fields, expand, address, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns all rows of the list of removed project views, as of one instant, as CSV or as lines of JSON. */
  'GET /ext/export/removed/projectViews': {
    readonly query: {
      /** csv: RFC 4180 with a header, texts in quotes; an apostrophe precedes text that a spreadsheet would take for a formula. jsonl: a record in each line. */
      readonly format?: 'csv' | 'jsonl'
      /** One of id, name, list, filter, sort, fields, expand, address, projectId, userId, createdAt, updatedAt, deletedAt, active, in any capitals; anything else sorts by id. */
      readonly sortColumn?: 'id' | 'name' | 'list' | 'filter' | 'sort' | 'fields' | 'expand' | 'address' | 'projectId' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'active'
      /** In any capitals; by default DESC for deletedAt and ASC for other columns. */
      readonly sortOrder?: 'ASC' | 'DESC'
      /** Text that the name must contain, matched literally. */
      readonly search?: string
      /** Up to 100 ids, separated by commas. */
      readonly ids?: string
      /** Only rows with this ProjectId. */
      readonly projectId?: string
      /** Only rows with this UserId. */
      readonly userId?: string
    }
    readonly answer: string
  }
  /** Returns assignments as an iCalendar file (RFC 5545), for programs that subscribe to calendars. */
  'GET /ext/calendar.ics': {
    readonly query: {
      /** The token, if there is no Authorization header. */
      readonly token?: string
      /** The project; by default all of them. */
      readonly projectId?: string
    }
    readonly answer: string
  }
  /** Shows the running timer of the caller’s account. */
  'GET /ext/timer': {
    readonly answer: TimerAnswer
  }
  /** Starts a timer for work on an assignment. */
  'POST /ext/timer': {
    readonly body: TimerStart
    readonly answer: TimerAnswer
  }
  /** Ends the timer without an appointment. */
  'DELETE /ext/timer': {
    readonly answer: Success
  }
  /** Stops the timer and creates an appointment with its hours. */
  'POST /ext/timer/stop': {
    readonly body: TimerStop
    readonly answer: TimerStopped
  }
  /** Shows the settings of the caller’s account. */
  'GET /ext/settings': {
    readonly answer: AccountSettingsAnswer
  }
  /** Changes settings of the caller’s account. */
  'PATCH /ext/settings': {
    readonly body: AccountSettingsUpdate
    readonly answer: AccountSettingsAnswer
  }
  /** Lists the caller’s own notifications, newest first; with Accept: text/event-stream, as a live listing. */
  'GET /ext/notifications': {
    readonly query: {
      /** The page, counted from 1. */
      readonly pageNumber?: number
      /** Rows in a page. */
      readonly pageSize?: number
      /** Lists only unread ones. */
      readonly unread?: 'true' | 'false'
      /** Only these kinds, separated by commas: assigned, mentioned, commented, blocked, unblocked, dependencyDone, stageChanged, dueTomorrow, overdue. */
      readonly kind?: string
    }
    readonly answer: NotificationPage
  }
  /** Marks notifications of the caller as read or unread: these, or all of them. */
  'PATCH /ext/notifications': {
    readonly body: NotificationMarking
    readonly answer: NotificationsMarked
  }
  /** Shows whether the caller is notified of the changes of an assignment. */
  'GET /ext/watch': {
    readonly query: {
      /** The assignment. */
      readonly assignmentId: string
    }
    readonly answer: WatchAnswer
  }
  /** Watches an assignment, or stops its notifications. */
  'PATCH /ext/watch': {
    readonly body: WatchChoice
    readonly answer: WatchAnswer
  }
  /** Lists the webhooks of the caller’s account or, for administrators, of all accounts. */
  'GET /ext/webhooks': {
    readonly query: {
      /** Lists only the webhooks of this project. */
      readonly projectId?: string
    }
    readonly answer: WebhookList
  }
  /** Creates a webhook: changes of a project, or of everything, are sent to an address from now on. */
  'POST /ext/webhook': {
    readonly body: WebhookCreate
    readonly answer: WebhookCreated
  }
  /** Changes, pauses or resumes a webhook. */
  'PATCH /ext/webhook': {
    readonly body: WebhookUpdate
    readonly answer: WebhookUpdated
  }
  /** Removes a webhook with its log. */
  'DELETE /ext/webhook': {
    readonly body: WebhookId
    readonly answer: Success
  }
  /** Creates a new secret; the previous one also signs for another day. */
  'POST /ext/webhook/rotate': {
    readonly body: WebhookId
    readonly answer: WebhookSecret
  }
  /** Sends a message of the type test; the log shows the result. */
  'POST /ext/webhook/test': {
    readonly body: WebhookId
    readonly answer: WebhookTested
  }
  /** Lists the deliveries to a webhook with responses and durations, newest first. */
  'GET /ext/webhook/deliveries': {
    readonly query: {
      /** The id of the webhook. */
      readonly id: string
      /** Only deliveries before the one with this id. */
      readonly before?: string
      /** Deliveries in a page. */
      readonly pageSize?: number
    }
    readonly answer: WebhookDeliveries
  }
  /** Sends one delivery again, or all deliveries of a period, with the same ids. */
  'POST /ext/webhook/replay': {
    readonly body: WebhookReplay
    readonly answer: WebhookReplayed
  }
  /** Serves the Model Context Protocol over HTTP: lists the tools that the token allows, and calls them. */
  'POST /ext/mcp': {
    readonly query: {
      /** Names of resources, separated by commas: only their tools, and those for several resources. */
      readonly resources?: string
      /** Only tools that read. */
      readonly readOnly?: boolean
    }
    readonly body: ModelMessage
    readonly answer: ModelAnswer
  }
  /** Names the provider that issues tokens for the Model Context Protocol (RFC 9728). */
  'GET /.well-known/oauth-protected-resource/ext/mcp': {
    readonly answer: ProtectedResource
  }
}

/** The resources, by the last part of the path of their list. */
export interface Resources {
  readonly organizations: {
    readonly record: Organization
    readonly create: OrganizationCreate
    readonly update: OrganizationUpdate
    readonly page: OrganizationPage['result']
    readonly list: Operations['GET /api/organizations']['query']
    readonly removed: Operations['GET /ext/removed/organizations']['query']
    readonly export: Omit<Operations['GET /ext/export/organizations']['query'], 'format'>
    readonly row: OrganizationQueryRow
  }
  readonly workflows: {
    readonly record: Workflow
    readonly create: WorkflowCreate
    readonly update: WorkflowUpdate
    readonly page: WorkflowPage['result']
    readonly list: Operations['GET /api/workflows']['query']
    readonly removed: Operations['GET /ext/removed/workflows']['query']
    readonly export: Omit<Operations['GET /ext/export/workflows']['query'], 'format'>
    readonly row: WorkflowQueryRow
  }
  readonly assignmentTypes: {
    readonly record: AssignmentType
    readonly create: AssignmentTypeCreate
    readonly update: AssignmentTypeUpdate
    readonly page: AssignmentTypePage['result']
    readonly list: Operations['GET /api/assignmentTypes']['query']
    readonly removed: Operations['GET /ext/removed/assignmentTypes']['query']
    readonly export: Omit<Operations['GET /ext/export/assignmentTypes']['query'], 'format'>
    readonly row: AssignmentTypeQueryRow
  }
  readonly impediments: {
    readonly record: Impediment
    readonly create: ImpedimentCreate
    readonly update: ImpedimentUpdate
    readonly page: ImpedimentPage['result']
    readonly list: Operations['GET /api/impediments']['query']
    readonly removed: Operations['GET /ext/removed/impediments']['query']
    readonly export: Omit<Operations['GET /ext/export/impediments']['query'], 'format'>
    readonly row: ImpedimentQueryRow
  }
  readonly users: {
    readonly record: User
    readonly create: UserCreate
    readonly update: UserUpdate
    readonly page: UserPage['result']
    readonly list: Operations['GET /api/users']['query']
    readonly removed: Operations['GET /ext/removed/users']['query']
    readonly export: Omit<Operations['GET /ext/export/users']['query'], 'format'>
    readonly row: UserQueryRow
  }
  readonly projects: {
    readonly record: Project
    readonly create: ProjectCreate
    readonly update: ProjectUpdate
    readonly page: ProjectPage['result']
    readonly list: Operations['GET /api/projects']['query']
    readonly removed: Operations['GET /ext/removed/projects']['query']
    readonly export: Omit<Operations['GET /ext/export/projects']['query'], 'format'>
    readonly row: ProjectQueryRow
  }
  readonly assignments: {
    readonly record: Assignment
    readonly create: AssignmentCreate
    readonly update: AssignmentUpdate
    readonly page: AssignmentPage['result']
    readonly list: Operations['GET /api/assignments']['query']
    readonly removed: Operations['GET /ext/removed/assignments']['query']
    readonly export: Omit<Operations['GET /ext/export/assignments']['query'], 'format'>
    readonly row: AssignmentQueryRow
  }
  readonly appointments: {
    readonly record: Appointment
    readonly create: AppointmentCreate
    readonly update: AppointmentUpdate
    readonly page: AppointmentPage['result']
    readonly list: Operations['GET /api/appointments']['query']
    readonly removed: Operations['GET /ext/removed/appointments']['query']
    readonly export: Omit<Operations['GET /ext/export/appointments']['query'], 'format'>
    readonly row: AppointmentQueryRow
  }
  readonly assignmentImpediments: {
    readonly record: AssignmentImpediment
    readonly create: AssignmentImpedimentCreate
    readonly update: AssignmentImpedimentUpdate
    readonly page: AssignmentImpedimentPage['result']
    readonly list: Operations['GET /api/assignmentImpediments']['query']
    readonly removed: Operations['GET /ext/removed/assignmentImpediments']['query']
    readonly export: Omit<Operations['GET /ext/export/assignmentImpediments']['query'], 'format'>
    readonly row: AssignmentImpedimentQueryRow
  }
  readonly userAssignments: {
    readonly record: UserAssignment
    readonly create: UserAssignmentCreate
    readonly update: UserAssignmentUpdate
    readonly page: UserAssignmentPage['result']
    readonly list: Operations['GET /api/userAssignments']['query']
    readonly removed: Operations['GET /ext/removed/userAssignments']['query']
    readonly export: Omit<Operations['GET /ext/export/userAssignments']['query'], 'format'>
    readonly row: UserAssignmentQueryRow
  }
  readonly userProjects: {
    readonly record: UserProject
    readonly create: UserProjectCreate
    readonly update: UserProjectUpdate
    readonly page: UserProjectPage['result']
    readonly list: Operations['GET /api/userProjects']['query']
    readonly removed: Operations['GET /ext/removed/userProjects']['query']
    readonly export: Omit<Operations['GET /ext/export/userProjects']['query'], 'format'>
    readonly row: UserProjectQueryRow
  }
  readonly extWorkflows: {
    readonly record: ExtWorkflow
    readonly create: ExtWorkflowCreate
    readonly update: ExtWorkflowUpdate
    readonly page: ExtWorkflowPage['result']
    readonly list: Operations['GET /ext/workflows']['query']
    readonly removed: Operations['GET /ext/removed/workflows']['query']
    readonly export: Omit<Operations['GET /ext/export/workflows']['query'], 'format'>
    readonly row: WorkflowQueryRow
  }
  readonly extProjects: {
    readonly record: ExtProject
    readonly create: ExtProjectCreate
    readonly update: ExtProjectUpdate
    readonly page: ExtProjectPage['result']
    readonly list: Operations['GET /ext/projects']['query']
    readonly removed: Operations['GET /ext/removed/projects']['query']
    readonly export: Omit<Operations['GET /ext/export/projects']['query'], 'format'>
    readonly row: ProjectQueryRow
  }
  readonly extAssignments: {
    readonly record: ExtAssignment
    readonly create: ExtAssignmentCreate
    readonly update: ExtAssignmentUpdate
    readonly page: ExtAssignmentPage['result']
    readonly list: Operations['GET /ext/assignments']['query']
    readonly removed: Operations['GET /ext/removed/assignments']['query']
    readonly export: Omit<Operations['GET /ext/export/assignments']['query'], 'format'>
    readonly row: AssignmentQueryRow
  }
  readonly projectStages: {
    readonly record: ProjectStage
    readonly create: ProjectStageCreate
    readonly update: ProjectStageUpdate
    readonly page: ProjectStagePage['result']
    readonly list: Operations['GET /ext/projectStages']['query']
    readonly removed: Operations['GET /ext/removed/projectStages']['query']
    readonly export: Omit<Operations['GET /ext/export/projectStages']['query'], 'format'>
    readonly row: ProjectStageQueryRow
  }
  readonly comments: {
    readonly record: Comment
    readonly create: CommentCreate
    readonly update: CommentUpdate
    readonly page: CommentPage['result']
    readonly list: Operations['GET /ext/comments']['query']
    readonly removed: Operations['GET /ext/removed/comments']['query']
    readonly export: Omit<Operations['GET /ext/export/comments']['query'], 'format'>
    readonly row: CommentQueryRow
  }
  readonly labels: {
    readonly record: Label
    readonly create: LabelCreate
    readonly update: LabelUpdate
    readonly page: LabelPage['result']
    readonly list: Operations['GET /ext/labels']['query']
    readonly removed: Operations['GET /ext/removed/labels']['query']
    readonly export: Omit<Operations['GET /ext/export/labels']['query'], 'format'>
    readonly row: LabelQueryRow
  }
  readonly assignmentLabels: {
    readonly record: AssignmentLabel
    readonly create: AssignmentLabelCreate
    readonly update: AssignmentLabelUpdate
    readonly page: AssignmentLabelPage['result']
    readonly list: Operations['GET /ext/assignmentLabels']['query']
    readonly removed: Operations['GET /ext/removed/assignmentLabels']['query']
    readonly export: Omit<Operations['GET /ext/export/assignmentLabels']['query'], 'format'>
    readonly row: AssignmentLabelQueryRow
  }
  readonly assignmentDependencies: {
    readonly record: AssignmentDependency
    readonly create: AssignmentDependencyCreate
    readonly update: AssignmentDependencyUpdate
    readonly page: AssignmentDependencyPage['result']
    readonly list: Operations['GET /ext/assignmentDependencies']['query']
    readonly removed: Operations['GET /ext/removed/assignmentDependencies']['query']
    readonly export: Omit<Operations['GET /ext/export/assignmentDependencies']['query'], 'format'>
    readonly row: AssignmentDependencyQueryRow
  }
  readonly attachments: {
    readonly record: Attachment
    readonly create: never
    readonly update: AttachmentUpdate
    readonly page: AttachmentPage['result']
    readonly list: Operations['GET /ext/attachments']['query']
    readonly removed: Operations['GET /ext/removed/attachments']['query']
    readonly export: Omit<Operations['GET /ext/export/attachments']['query'], 'format'>
    readonly row: AttachmentQueryRow
  }
  readonly savedViews: {
    readonly record: SavedView
    readonly create: SavedViewCreate
    readonly update: SavedViewUpdate
    readonly page: SavedViewPage['result']
    readonly list: Operations['GET /ext/savedViews']['query']
    readonly removed: Operations['GET /ext/removed/savedViews']['query']
    readonly export: Omit<Operations['GET /ext/export/savedViews']['query'], 'format'>
    readonly row: SavedViewQueryRow
  }
  readonly projectViews: {
    readonly record: ProjectView
    readonly create: ProjectViewCreate
    readonly update: ProjectViewUpdate
    readonly page: ProjectViewPage['result']
    readonly list: Operations['GET /ext/projectViews']['query']
    readonly removed: Operations['GET /ext/removed/projectViews']['query']
    readonly export: Omit<Operations['GET /ext/export/projectViews']['query'], 'format'>
    readonly row: ProjectViewQueryRow
  }
}

/** For each resource, the root of its paths, and its name in the singular and in the plural. */
export const resourcePaths = {
  organizations: { root: '/api', name: 'organization', plural: 'organizations' },
  workflows: { root: '/api', name: 'workflow', plural: 'workflows' },
  assignmentTypes: { root: '/api', name: 'assignmentType', plural: 'assignmentTypes' },
  impediments: { root: '/api', name: 'impediment', plural: 'impediments' },
  users: { root: '/api', name: 'user', plural: 'users' },
  projects: { root: '/api', name: 'project', plural: 'projects' },
  assignments: { root: '/api', name: 'assignment', plural: 'assignments' },
  appointments: { root: '/api', name: 'appointment', plural: 'appointments' },
  assignmentImpediments: { root: '/api', name: 'assignmentImpediment', plural: 'assignmentImpediments' },
  userAssignments: { root: '/api', name: 'userAssignment', plural: 'userAssignments' },
  userProjects: { root: '/api', name: 'userProject', plural: 'userProjects' },
  extWorkflows: { root: '/ext', name: 'workflow', plural: 'workflows' },
  extProjects: { root: '/ext', name: 'project', plural: 'projects' },
  extAssignments: { root: '/ext', name: 'assignment', plural: 'assignments' },
  projectStages: { root: '/ext', name: 'projectStage', plural: 'projectStages' },
  comments: { root: '/ext', name: 'comment', plural: 'comments' },
  labels: { root: '/ext', name: 'label', plural: 'labels' },
  assignmentLabels: { root: '/ext', name: 'assignmentLabel', plural: 'assignmentLabels' },
  assignmentDependencies: { root: '/ext', name: 'assignmentDependency', plural: 'assignmentDependencies' },
  attachments: { root: '/ext', name: 'attachment', plural: 'attachments' },
  savedViews: { root: '/ext', name: 'savedView', plural: 'savedViews' },
  projectViews: { root: '/ext', name: 'projectView', plural: 'projectViews' },
} as const

/** The limits of texts, lists and pages, by the name of their property or query key. */
export const limits = {
  address: 2000,
  administrators: 100,
  after: 8192,
  attempts: 5,
  clientId: 200,
  clientIdMin: 1,
  clients: 100,
  consents: 100,
  currentPassword: 128,
  currentPasswordMin: 1,
  cursor: 6000,
  deactivations: 100,
  deliveryIdMin: 1,
  description: 2000,
  expand: 2000,
  fields: 2000,
  filter: 2000,
  idMin: 1,
  identities: 20,
  ids: 100,
  inviter: 200,
  items: 1000,
  key: 8,
  keyMin: 1,
  label: 64,
  labelDescription: 500,
  labelMin: 1,
  labelName: 50,
  limit: 1000,
  links: 100,
  list: 64,
  listMin: 1,
  login: 256,
  loginMin: 1,
  mailTo: 254,
  mutedKinds: 9,
  name: 200,
  nameMin: 1,
  newPassword: 128,
  newPasswordMin: 8,
  organization: 200,
  pageNumber: 21474836,
  pageSize: 100,
  password: 128,
  passwordMin: 8,
  project: 200,
  projectIds: 20,
  rank: 60,
  recipientName: 200,
  rows: 5000,
  search: 128,
  secret: 100,
  secretMin: 1,
  sessions: 100,
  sha256: 64,
  sort: 2000,
  text: 10000,
  textMin: 1,
  timeZone: 64,
  timeZoneMin: 1,
  token: 200,
  tokens: 50,
  type: 100,
  url: 2000,
  webhooks: 100,
} as const
