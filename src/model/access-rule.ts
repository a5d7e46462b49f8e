/** Who may see and change a resource's rows. `access/` gives each kind its meaning. */
export type AccessRule =
  /** Everybody reads, administrators write. */
  | { readonly kind: 'catalog' }
  /** Nobody else reads or writes. */
  | { readonly kind: 'administrators' }
  /** Accounts: everybody sees himself and whoever shares a project with him. Nobody writes. */
  | { readonly kind: 'colleagues' }
  | ProjectMembers

export interface ProjectMembers {
  readonly kind: 'projectMembers'
  /** The columns that lead from a row to its project. */
  readonly projectPath: ProjectPath
  /** The column that must name the caller when somebody else than an administrator writes. */
  readonly ownerColumn?: 'userId'
  /** A new row has no members yet, so anybody may create it. */
  readonly anyoneMayCreate?: true
}

export type ProjectPath = readonly ['id'] | readonly ['projectId'] | readonly ['assignmentId', 'projectId']

export const catalog: AccessRule = { kind: 'catalog' }
export const administratorsOnly: AccessRule = { kind: 'administrators' }
export const colleagues: AccessRule = { kind: 'colleagues' }
export const membersOfProject: AccessRule = { kind: 'projectMembers', projectPath: ['projectId'] }
export const membersOfAssignment: AccessRule = {
  kind: 'projectMembers',
  projectPath: ['assignmentId', 'projectId'],
}
