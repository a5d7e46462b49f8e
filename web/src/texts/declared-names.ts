import { type Text, t } from './text.ts'

/** As a declared name of a resource or of a field is read: assignmentType, assignment type. */
export function nounOf(name: string): string {
  const bare = name.replace(/Id$/, '')
  const known = nouns[bare]
  return known === undefined ? wordsOf(bare) : t(known)
}

const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** One that is not here yet is read as it is declared. */
const nouns: Readonly<Record<string, Text>> = {
  organization: 'organization',
  workflow: 'workflow',
  assignmentType: 'assignment type',
  impediment: 'impediment',
  user: 'user',
  project: 'project',
  assignment: 'assignment',
  appointment: 'appointment',
  assignmentImpediment: 'assignment impediment',
  userAssignment: 'user assignment',
  userProject: 'user project',
  comment: 'comment',
  savedView: 'saved view',
  projectView: 'project view',
  name: 'name',
  description: 'description',
  text: 'text',
  login: 'login',
  password: 'password',
  order: 'order',
  startDate: 'start date',
  endDate: 'end date',
  keepDate: 'keep date',
  amountHours: 'amount hours',
}
