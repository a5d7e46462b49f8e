import type { Language } from './language.ts'

export const notificationKinds = [
  'assigned',
  'mentioned',
  'commented',
  'blocked',
  'unblocked',
  'dependencyDone',
  'stageChanged',
  'dueTomorrow',
  'overdue',
] as const

export type NotificationKind = (typeof notificationKinds)[number]

/** Notifications are mailed soon (bundled over some minutes), in one digest a day, or not at all. */
export const mailFrequencies = ['soon', 'daily', 'none'] as const

export type MailFrequency = (typeof mailFrequencies)[number]

/** The settings of an account that has chosen none. */
export const mailDefaults = { frequency: 'soon', hour: 8, timeZone: 'UTC' } as const

/** The contents of a mail with notifications. Names are as users have written them. */
export interface NotificationsToSend {
  readonly to: string
  readonly accountId: string
  readonly language: Language
  readonly unsubscribeToken: string
  /** The assignments that the notifications are about, the newest first. */
  readonly groups: readonly NotificationGroup[]
  /** The number of all notifications, including those that the groups leave out. */
  readonly count: number
  /** The number of notifications that the groups leave out. */
  readonly moreCount: number
}

export interface NotificationLine {
  readonly kind: NotificationKind
  /** Absent for reminders, and for work of the system. */
  readonly actor: string | undefined
  /** The name of the stage that the assignment was moved to. */
  readonly stage?: string | undefined
}

export interface NotificationGroup {
  readonly assignment: string
  readonly project: string
  /** The path of the assignment in the web client. */
  readonly path: string
  readonly lines: readonly NotificationLine[]
}
