import { type Text, t } from './text.ts'

/** The label of a declared resource or property, specific to this resource where necessary. */
export function nounOf(name: string, resource = ''): string {
  const known = nouns[`${resource}.${name}`] ?? nouns[name.replace(/Id$/, '')]
  return known === undefined ? wordsOf(name.replace(/Id$/, '')) : t(known)
}

const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** A missing one is shown as declared. */
const nouns: Readonly<Record<string, Text>> = {
  organization: 'organization',
  workflow: 'stage',
  assignmentType: 'type',
  impediment: 'impediment type',
  user: 'user',
  project: 'project',
  assignment: 'assignment',
  appointment: 'recorded time',
  assignmentImpediment: 'impediment',
  userAssignment: 'participant',
  userProject: 'member',
  comment: 'comment',
  savedView: 'view',
  projectView: 'shared view',
  name: 'name',
  description: 'description',
  text: 'text',
  login: 'login',
  password: 'password',
  order: 'order',
  startDate: 'start',
  endDate: 'end',
  keepDate: 'day',
  amountHours: 'hours',
  'assignment.amountHours': 'planned hours',
  'assignment.userId': 'responsible',
}
