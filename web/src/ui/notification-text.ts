import type { Notification } from '#tracker-client'
import { type MessageKey, t } from '../texts/text.ts'

type Kind = Notification['kind']

/** The kinds as a filter shows them. */
export const kindNames: Readonly<Record<Kind, MessageKey>> = {
  assigned: 'Assigned to me',
  mentioned: 'Mentions',
  commented: 'Comments',
  blocked: 'Impediments',
  unblocked: 'Resolved impediments',
  dependencyDone: 'Finished dependencies',
  stageChanged: 'Stage changes',
  dueTomorrow: 'Due soon',
  overdue: 'Overdue',
}

const texts: Readonly<Record<Kind, MessageKey>> = {
  assigned: 'Assigned to you by {name}.',
  mentioned: '{name} mentioned you.',
  commented: 'New comment by {name}.',
  blocked: 'Impediment reported by {name}.',
  unblocked: 'Impediment resolved by {name}.',
  dependencyDone: 'An assignment that it waited for was finished by {name}.',
  stageChanged: 'Moved to {stage} by {name}.',
  dueTomorrow: 'Due on the next day.',
  overdue: 'Overdue.',
}

export interface NotificationNames {
  readonly name: string
  /** The stage that the assignment was moved to. */
  readonly stage: string
}

export const notificationText = (kind: Kind, { name, stage }: NotificationNames): string =>
  t(texts[kind], { name, stage })
