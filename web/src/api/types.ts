// Made from docs/contract/ by npm run contract. Not to be changed by hand.

export interface Person {
  readonly id: string
  readonly name: string
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

export interface Workflow {
  readonly id: string
  readonly name: string
  readonly order: number
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface AssignmentType {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface Impediment {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
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

export interface Project {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
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

export interface UserAssignment {
  readonly id: string
  readonly userId: string
  readonly assignmentId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
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

export interface SavedView {
  readonly id: string
  readonly name: string
  readonly list: string
  readonly filter: string | null
  readonly sort: string | null
  readonly fields: string | null
  readonly expand: string | null
  readonly userId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
}

export interface ProjectView {
  readonly id: string
  readonly name: string
  readonly list: string
  readonly filter: string | null
  readonly sort: string | null
  readonly fields: string | null
  readonly expand: string | null
  readonly projectId: string
  readonly userId: string
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly active: boolean
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

export interface CommentUpdated {
  readonly success: boolean
  readonly comment: Comment
}

export interface SavedViewCreate {
  readonly id?: string | null
  readonly name: string
  readonly list: string
  readonly filter?: string | null
  readonly sort?: string | null
  readonly fields?: string | null
  readonly expand?: string | null
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
  readonly userId: string
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
  readonly projectId: string
  readonly userId: string
}

export interface ProjectViewUpdated {
  readonly success: boolean
  readonly projectView: ProjectView
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

export interface ClientWish {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  readonly scopes?: readonly string[]
  readonly isFirstParty?: boolean
  readonly requiresPkce?: boolean
  readonly hasSecret?: boolean
}

export interface ClientChange {
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

export interface NewClient {
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

export interface NewToken {
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
  readonly createdAt: string
  readonly expiresAt: string
}

export interface NewLink {
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
}

export interface InvitationQuestion {
  readonly secret: string
}

export interface ShownInvitation {
  readonly inviter: string
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
  readonly resource: 'organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'comment' | 'savedView' | 'projectView'
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
    readonly resource: 'organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'comment' | 'savedView' | 'projectView'
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
  readonly resource: 'organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'comment' | 'savedView' | 'projectView'
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

export interface Webhook {
  readonly id: string
  readonly userId: string
  readonly projectId: string | null
  readonly url: string
  readonly name: string | null
  readonly resources: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'comment' | 'savedView' | 'projectView')[] | null
  readonly actions: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
  readonly active: boolean
  readonly pausedAt: string | null
  readonly pausedBecause: string | null
  readonly createdAt: string
  readonly waiting: number
}

export interface NewWebhook {
  readonly webhook: {
    readonly id: string
    readonly userId: string
    readonly projectId: string | null
    readonly url: string
    readonly name: string | null
    readonly resources: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'comment' | 'savedView' | 'projectView')[] | null
    readonly actions: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
    readonly active: boolean
    readonly pausedAt: string | null
    readonly pausedBecause: string | null
    readonly createdAt: string
    readonly waiting: number
    readonly secret: string
  }
}

export interface ChangedWebhook {
  readonly webhook: Webhook
}

export interface Webhooks {
  readonly webhooks: readonly Webhook[]
}

export interface WebhookCreate {
  readonly url: string
  readonly name?: string | null
  readonly resources?: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'comment' | 'savedView' | 'projectView')[] | null
  readonly actions?: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
  readonly projectId?: string | null
}

export interface WebhookUpdate {
  readonly id: string
  readonly url?: string
  readonly name?: string | null
  readonly resources?: readonly ('organization' | 'workflow' | 'assignmentType' | 'impediment' | 'user' | 'project' | 'assignment' | 'appointment' | 'assignmentImpediment' | 'userAssignment' | 'userProject' | 'comment' | 'savedView' | 'projectView')[] | null
  readonly actions?: readonly ('create' | 'update' | 'remove' | 'restore')[] | null
  readonly active?: boolean
}

export interface WebhookId {
  readonly id: string
}

export interface WebhookSecret {
  readonly secret: string
}

export interface WebhookTest {
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

export interface Success {
  readonly success: boolean
}

export interface Error {
  readonly statusCode: number
  readonly message: string
  readonly errors?: Readonly<Record<string, readonly string[]>>
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

export interface OrganizationUpdated {
  readonly success: boolean
  readonly organization: Organization
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

export interface UserUpdated {
  readonly success: boolean
  readonly user: User
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

export interface VersionedSuccess {
  readonly success: boolean
  readonly message: string | null
  readonly project: Project
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

export interface Resources {
  readonly organization: {
    readonly record: Organization
    readonly create: OrganizationCreate
    readonly update: OrganizationUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids'
  }
  readonly workflow: {
    readonly record: Workflow
    readonly create: WorkflowCreate
    readonly update: WorkflowUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids'
  }
  readonly assignmentType: {
    readonly record: AssignmentType
    readonly create: AssignmentTypeCreate
    readonly update: AssignmentTypeUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids'
  }
  readonly impediment: {
    readonly record: Impediment
    readonly create: ImpedimentCreate
    readonly update: ImpedimentUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids'
  }
  readonly user: {
    readonly record: User
    readonly create: UserCreate
    readonly update: UserUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids'
  }
  readonly project: {
    readonly record: Project
    readonly create: ProjectCreate
    readonly update: ProjectUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'organizationId'
  }
  readonly assignment: {
    readonly record: Assignment
    readonly create: AssignmentCreate
    readonly update: AssignmentUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'projectId' | 'userId' | 'workflowId' | 'dateFrom' | 'dateTo'
  }
  readonly appointment: {
    readonly record: Appointment
    readonly create: AppointmentCreate
    readonly update: AppointmentUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'assignmentId' | 'userId' | 'dateFrom' | 'dateTo'
  }
  readonly assignmentImpediment: {
    readonly record: AssignmentImpediment
    readonly create: AssignmentImpedimentCreate
    readonly update: AssignmentImpedimentUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'assignmentId'
  }
  readonly userAssignment: {
    readonly record: UserAssignment
    readonly create: UserAssignmentCreate
    readonly update: UserAssignmentUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'assignmentId' | 'userId'
  }
  readonly userProject: {
    readonly record: UserProject
    readonly create: UserProjectCreate
    readonly update: UserProjectUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'projectId' | 'userId'
  }
  readonly comment: {
    readonly record: Comment
    readonly create: CommentCreate
    readonly update: CommentUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'assignmentId' | 'userId'
  }
  readonly savedView: {
    readonly record: SavedView
    readonly create: SavedViewCreate
    readonly update: SavedViewUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'userId'
  }
  readonly projectView: {
    readonly record: ProjectView
    readonly create: ProjectViewCreate
    readonly update: ProjectViewUpdate
    readonly query: 'pageNumber' | 'pageSize' | 'sortColumn' | 'sortOrder' | 'search' | 'ids' | 'projectId' | 'userId'
  }
}

/** The last path segment of each resource's list route. */
export const listRoutes = {
  organization: 'organizations',
  workflow: 'workflows',
  assignmentType: 'assignmentTypes',
  impediment: 'impediments',
  user: 'users',
  project: 'projects',
  assignment: 'assignments',
  appointment: 'appointments',
  assignmentImpediment: 'assignmentImpediments',
  userAssignment: 'userAssignments',
  userProject: 'userProjects',
  comment: 'comments',
  savedView: 'savedViews',
  projectView: 'projectViews',
} as const

/** The path prefix of each resource's routes. */
export const roots = {
  organization: '/api',
  workflow: '/api',
  assignmentType: '/api',
  impediment: '/api',
  user: '/api',
  project: '/api',
  assignment: '/api',
  appointment: '/api',
  assignmentImpediment: '/api',
  userAssignment: '/api',
  userProject: '/api',
  comment: '/ext',
  savedView: '/ext',
  projectView: '/ext',
} as const

/** The limits of texts, of lists of ids, and of pages. */
export const limits = {
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
  description: 2000,
  expand: 2000,
  fields: 2000,
  filter: 2000,
  identities: 20,
  ids: 100,
  inviter: 200,
  items: 1000,
  label: 64,
  labelMin: 1,
  limit: 1000,
  links: 100,
  list: 64,
  listMin: 1,
  login: 256,
  loginMin: 1,
  mailTo: 254,
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
  rows: 5000,
  search: 128,
  secret: 100,
  secretMin: 1,
  sessions: 100,
  sort: 2000,
  text: 10000,
  textMin: 1,
  tokens: 50,
  url: 2000,
  webhooks: 100,
} as const
