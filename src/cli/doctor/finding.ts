/** The subject of a check, its result, and advice; without advice, all is well. */
export interface Finding {
  readonly subject: string
  readonly found: string
  /** `wrong` breaks the system now or later; `look` may be intended. */
  readonly grade: 'fine' | 'look' | 'wrong'
  readonly advice?: string
}

export const fine = (subject: string, found: string): Finding => ({ subject, found, grade: 'fine' })
export const look = (subject: string, found: string, advice: string): Finding => ({
  subject,
  found,
  grade: 'look',
  advice,
})
export const wrong = (subject: string, found: string, advice: string): Finding => ({
  subject,
  found,
  grade: 'wrong',
  advice,
})
