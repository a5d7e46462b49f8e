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
  dueTomorrow: 'Due on the next day.',
  overdue: 'Overdue.',
}

export const notificationText = (kind: Kind, name: string): string => t(texts[kind], { name })
