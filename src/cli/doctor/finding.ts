/** What was checked, what was found, and what to do about it; without advice, all is well. */
export interface Finding {
  readonly subject: string
  readonly found: string
  /** `wrong` keeps the system from working or will; `look` may be as it is meant. */
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
