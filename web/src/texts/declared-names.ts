import { type MessageKey, nounInWords, t } from './text.ts'

/** Returns the label of a declared resource or property. In some resources, a property has another label. */
export function nounOf(name: string, resource = ''): string {
  const declared = name.replace(/Id$/, '')
  const noun = nouns[`${resource}.${name}`] ?? nouns[declared]
  return noun === undefined ? nounInWords(declared) : t(noun)
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The words of a name without an entry are shown as declared, or translated by the nouns of the language. */
const nouns: Readonly<Record<string, MessageKey>> = {
  workflow: 'stage',
  assignmentType: 'type',
  impediment: 'impediment type',
  appointment: 'recorded hours',
  assignmentImpediment: 'impediment',
  userAssignment: 'participant',
  userProject: 'member',
  projectStage: 'stage',
  assignmentLabel: 'label',
  assignmentDependency: 'dependency',
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
