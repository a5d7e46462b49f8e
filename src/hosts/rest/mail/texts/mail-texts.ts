export interface MailText {
  readonly subject: string
  readonly text: string
}

/** What mails say in one language. Names are ready to be shown, and a link stands in a line of its own. */
export interface MailTexts {
  password(values: PasswordValues): MailText
  factors(values: { readonly place: string }): MailText
  invitation(values: InvitationValues): MailText
}

export interface PasswordValues {
  /** Where the account is. */
  readonly place: string
  readonly link: string
  readonly hours: number
  readonly isByAdministrator: boolean
}

export interface InvitationValues {
  readonly place: string
  readonly link: string
  readonly days: number
  readonly inviter: string
  readonly into: { readonly project: string; readonly organization: string } | undefined
}
