import { t } from '../../texts/text.ts'

/** What a token may do, as people choose it; programs may ask for any other set. */
export const scopeChoices = [
  { id: 'read', name: 'Read everything', scopes: ['*:read'] },
  { id: 'write', name: 'Read and change everything', scopes: ['*:write'] },
  {
    id: 'hours',
    name: 'Read the work, book hours',
    scopes: ['appointment:write', 'assignment:read', 'person:read', 'project:read'],
  },
  {
    id: 'work',
    name: 'Read and change assignments and comments',
    scopes: [
      ...['assignment:write', 'assignmentImpediment:write', 'assignmentType:read', 'comment:write'],
      ...['impediment:read', 'person:read', 'project:read', 'userAssignment:write', 'workflow:read'],
    ],
  },
] as const

export const scopesOf = (choice: string): readonly string[] =>
  scopeChoices.find(({ id }) => id === choice)?.scopes ?? []

export function scopesInWords(scopes: readonly string[]): string {
  const key = [...scopes].sort().join()
  const known = scopeChoices.find((one) => [...one.scopes].sort().join() === key)
  return known ? t(known.name) : scopes.join(', ')
}
