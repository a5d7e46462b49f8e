/**
 * Decides who may see and change the rows of a resource. `visible-rows.ts` and `write-conditions.ts` in
 * `src/records/` implement each kind. `Columns` are the columns of the resource.
 */
export type AccessRule<Columns extends string = string> =
  /** All users read, administrators write. */
  | { readonly kind: 'catalog'; readonly ownerColumn?: never }
  /** Only administrators read and write. */
  | { readonly kind: 'administrators'; readonly ownerColumn?: never }
  /** Accounts: users see themselves and the people they share a project with. The rows are read-only. */
  | { readonly kind: 'colleagues'; readonly ownerColumn?: never }
  /** Each user has their own rows, which only they and administrators read and write. */
  | { readonly kind: 'owner'; readonly ownerColumn: Extract<'userId', Columns> }
  | ProjectMembers<Columns>

export interface ProjectMembers<Columns extends string = string> {
  readonly kind: 'projectMembers'
  /** The columns that lead from a row to its project. */
  readonly projectPath: ProjectPath<Columns>
  /** The column that must name the caller, unless an administrator writes. */
  readonly ownerColumn?: Extract<'userId', Columns>
  /** A new project has no members yet, so any user may create it. */
  readonly anyoneMayCreate?: true
}

/** A row is a project, has the id of its project, or has the id of an assignment of its project. */
export type ProjectPath<Columns extends string = string> =
  | readonly ['id']
  | ('projectId' extends Columns ? readonly ['projectId'] : never)
  | ('assignmentId' extends Columns ? readonly ['assignmentId', 'projectId'] : never)

export const catalog = { kind: 'catalog' } as const satisfies AccessRule
export const administratorsOnly = { kind: 'administrators' } as const satisfies AccessRule
export const colleagues = { kind: 'colleagues' } as const satisfies AccessRule
export const ownerOnly = { kind: 'owner', ownerColumn: 'userId' } as const satisfies AccessRule
export const membersOfProject = {
  kind: 'projectMembers',
  projectPath: ['projectId'],
} as const satisfies AccessRule
export const membersOfAssignment = {
  kind: 'projectMembers',
  projectPath: ['assignmentId', 'projectId'],
} as const satisfies AccessRule
