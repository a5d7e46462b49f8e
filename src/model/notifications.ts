export const notificationKinds = [
  'assigned',
  'mentioned',
  'commented',
  'blocked',
  'unblocked',
  'dependencyDone',
  'dueTomorrow',
  'overdue',
] as const

export type NotificationKind = (typeof notificationKinds)[number]

/** When notifications are mailed: soon, in bundles of some minutes; in one digest a day; or never. */
export const mailFrequencies = ['soon', 'daily', 'none'] as const

export type MailFrequency = (typeof mailFrequencies)[number]

/** The choices of an account that has made none. */
export const mailDefaults = { frequency: 'soon', hour: 8, timeZone: 'UTC' } as const

/** Names such as Europe/Lisbon or UTC. An offset such as +01:00 has no daylight saving time, so it is none. */
export function isTimeZone(name: string): boolean {
  if (name.length > 64 || !/^[A-Za-z][\w+/-]*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
