import { type MessageKey, t } from './text.ts'

/** Returns the label of a declared resource or property. In some resources, a property has another label. */
export function nounOf(name: string, resource = ''): string {
  const noun = nouns[`${resource}.${name}`] ?? nouns[name.replace(/Id$/, '')]
  return noun === undefined ? splitWords(name.replace(/Id$/, '')) : t(noun)
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const splitWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** A name without an entry is shown as declared. */
const nouns: Readonly<Record<string, MessageKey>> = {
  organization: 'organization',
  workflow: 'stage',
  assignmentType: 'type',
  impediment: 'impediment type',
  user: 'user',
  project: 'project',
  assignment: 'assignment',
  appointment: 'recorded hours',
  assignmentImpediment: 'impediment',
  userAssignment: 'participant',
  userProject: 'member',
  projectStage: 'stage',
  comment: 'comment',
  label: 'label',
  assignmentLabel: 'label',
  assignmentDependency: 'dependency',
  attachment: 'attachment',
  savedView: 'view',
  projectView: 'shared view',
  name: 'name',
  description: 'description',
  text: 'text',
  login: 'login',
  password: 'password',
  color: 'color',
  priority: 'priority',
  key: 'key',
  parent: 'part of',
  isArchived: 'archived',
  isUnscheduled: 'dates',
  isUnassigned: 'responsible',
  isDone: 'done',
  blockedBy: 'waits for',
  order: 'order',
  startDate: 'start',
  endDate: 'end',
  keepDate: 'day',
  amountHours: 'hours',
  'assignment.amountHours': 'planned hours',
  'assignment.userId': 'responsible',
}
