/** The account a request acts for. */
export interface Caller {
  readonly id: string
  readonly isAdministrator: boolean
  /** The personal token that the request came with: it may less than its account. */
  readonly token?: TokenRights
  /** How the request came; none for what the program does by itself. */
  readonly origin?: RequestOrigin
}

/** What a personal token may do. Only `access/` asks. */
export interface TokenRights {
  readonly id: string
  /** Such as `assignment:read`; `*` stands for everything. */
  readonly scopes: readonly string[]
  /** Without them, every project of its account. */
  readonly projectIds: readonly string[] | undefined
  /** In the projects that it is limited to, the token of an administrator acts as a member, and nowhere as more. */
  readonly isOfAdministrator: boolean
}

/** Where a request comes from, as logs and lists of sign-ins show it. */
export interface RequestOrigin {
  /** The client's, behind the proxies that are trusted. */
  readonly address: string
  readonly requestId: string
  /** Of the tracker's hosts, the one it came to. */
  readonly host?: 'rest' | 'commands'
  /** Of its token, once that was accepted. */
  readonly clientId?: string | undefined
  readonly sessionId?: string | undefined
}
