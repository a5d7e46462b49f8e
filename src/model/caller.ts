/** The account a request acts for. */
export interface Caller {
  readonly id: string
  readonly isAdministrator: boolean
  /** The rights of the personal access token. They may be fewer than the rights of its account. */
  readonly token?: TokenRights
  /** The source of the request. Absent for work that the program starts itself. */
  readonly origin?: RequestOrigin
}

/** The rights of a personal access token. Only `src/records/` applies them. */
export interface TokenRights {
  readonly id: string
  /** Scopes such as `assignment:read`. `*` stands for every resource. */
  readonly scopes: readonly string[]
  /** If undefined, the token covers every project of its account. */
  readonly projectIds: readonly string[] | undefined
  /** Whether the account is an administrator. With `projectIds`, the token acts only as a member of these. */
  readonly isOfAdministrator: boolean
}

/** The source of a request, as logs and lists of sessions show it. */
export interface RequestOrigin {
  /** The client's address, behind the trusted proxies. */
  readonly address: string
  readonly requestId: string
  /** The host that received the request. */
  readonly host?: 'rest' | 'commands'
  /** The client that the access token was issued to; set after authentication. */
  readonly clientId?: string | undefined
  readonly sessionId?: string | undefined
}
