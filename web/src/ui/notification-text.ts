import type { Notification } from '#tracker-client'
import type { MessageKey } from '../texts/text.ts'
import type { IconName } from './icon.tsx'
import type { Hue } from './marks.tsx'

type Kind = Notification['kind']

export const kindNames: Readonly<Record<Kind, MessageKey>> = {
  assigned: 'Assigned to me',
  mentioned: 'Mentions',
  commented: 'Comments',
  blocked: 'Impediments',
  unblocked: 'Resolved impediments',
  dependencyDone: 'Finished dependencies',
  stageChanged: 'Stage changes',
  dueTomorrow: 'Ends soon',
  overdue: 'Overdue',
}

interface NotificationLook {
  /**
   * Begins with the `{name}` of the person who caused it. Undefined for `dueTomorrow` and `overdue`, because
   * their text depends on the end of the assignment (`endTextOf`).
   */
  readonly text?: MessageKey
  readonly icon: IconName
  readonly color: Hue
}

/** The sentence, the icon and the hue of each kind. */
export const notificationLooks: Readonly<Record<Kind, NotificationLook>> = {
  assigned: { text: '{name} assigned it to you', icon: 'person', color: 'blue' },
  mentioned: { text: '{name} mentioned you', icon: 'at', color: 'purple' },
  commented: { text: '{name} commented', icon: 'comment', color: 'gray' },
  blocked: { text: '{name} reported an impediment', icon: 'warning', color: 'red' },
  unblocked: { text: '{name} resolved an impediment', icon: 'check', color: 'green' },
  dependencyDone: { text: '{name} finished what it waited for', icon: 'link', color: 'green' },
  stageChanged: { text: '{name} moved it to {stage}', icon: 'move', color: 'teal' },
  dueTomorrow: { icon: 'calendar', color: 'amber' },
  overdue: { icon: 'clock', color: 'red' },
}
