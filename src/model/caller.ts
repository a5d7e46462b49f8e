/** The account a request acts for. */
export interface Caller {
  readonly id: string
  readonly isAdministrator: boolean
}
