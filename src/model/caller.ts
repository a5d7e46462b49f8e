/** The account a request acts for. */
export interface Caller {
  readonly id: string
  readonly isAdministrator: boolean
  /** The personal access token of the request: it may do less than its account. */
  readonly token?: TokenRights
  /** How the request came; absent for work that the program does by itself. */
  readonly origin?: RequestOrigin
}

/** The rights of a personal access token. Only `src/records/` applies them. */
export interface TokenRights {
  readonly id: string
  /** Such as `assignment:read`; `*` stands for everything. */
  readonly scopes: readonly string[]
  /** Absent: every project of its account. */
  readonly projectIds: readonly string[] | undefined
  /** Within its projects, the token of an administrator acts as a member; elsewhere it has no rights of an administrator. */
  readonly isOfAdministrator: boolean
}

/** The source of a request, as logs and lists of sessions show it. */
export interface RequestOrigin {
  /** The client's address, behind the trusted proxies. */
  readonly address: string
  readonly requestId: string
  /** The host of the tracker that the request came to. */
  readonly host?: 'rest' | 'commands'
  /** The client of its token, once the token was accepted. */
  readonly clientId?: string | undefined
  readonly sessionId?: string | undefined
}
