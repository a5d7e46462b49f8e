/** The account a request acts for. */
export interface Caller {
  readonly id: string
  readonly isAdministrator: boolean
  /** How the request came; none for what the program does by itself. */
  readonly origin?: RequestOrigin
}

/** Where a request comes from, as logs and lists of sign-ins tell it. */
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
