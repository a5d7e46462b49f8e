/** Who may see and change a resource's rows. `access/` gives each kind its meaning. `Columns` are those of the resource. */
export type AccessRule<Columns extends string = string> =
  /** Everybody reads, administrators write. */
  | { readonly kind: 'catalog' }
  /** Nobody else reads or writes. */
  | { readonly kind: 'administrators' }
  /** Accounts: everybody sees themselves and the people they share a project with. Nobody writes. */
  | { readonly kind: 'colleagues' }
  /** Everybody has rows of their own, which nobody else reads or writes. */
  | { readonly kind: 'owner'; readonly ownerColumn: Extract<'userId', Columns> }
  | ProjectMembers<Columns>

export interface ProjectMembers<Columns extends string = string> {
  readonly kind: 'projectMembers'
  /** The columns that lead from a row to its project. */
  readonly projectPath: ProjectPath<Columns>
  /** The column that must name the caller when somebody else than an administrator writes. */
  readonly ownerColumn?: Extract<'userId', Columns>
  /** A new row has no members yet, so anybody may create it. */
  readonly anyoneMayCreate?: true
}

/** A row is its own project, names it, or names the assignment that names it. */
export type ProjectPath<Columns extends string = string> =
  | readonly ['id']
  | ('projectId' extends Columns ? readonly ['projectId'] : never)
  | ('assignmentId' extends Columns ? readonly ['assignmentId', 'projectId'] : never)

/** The column that must name the caller when somebody else than an administrator writes. */
export const ownerColumnOf = (access: AccessRule): 'userId' | undefined =>
  access.kind === 'projectMembers' || access.kind === 'owner' ? access.ownerColumn : undefined

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
