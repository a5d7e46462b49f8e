export const passwordCharactersMin = 8
/** A longer password is not safer, and takes longer to hash. */
export const passwordCharactersMax = 128

/** Any printable Unicode is allowed. A password needs at least one character of each of these kinds. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/\p{Ll}/u, 'must contain a lower-case letter'],
  [/\p{Lu}/u, 'must contain an upper-case letter'],
  [/\p{Nd}/u, 'must contain a digit'],
  [/[^\p{Ll}\p{Lu}\p{Nd}]/u, 'must contain a character that is no letter and no digit'],
]

/** Lists everything that is wrong with a new password, a sentence each. */
export function passwordProblems(password: string, label: string): readonly string[] {
  const characters = [...password.slice(0, 2 * passwordCharactersMax + 1)].length
  const problems: string[] = []
  if (characters < passwordCharactersMin)
    problems.push(`must be at least ${passwordCharactersMin} characters`)
  if (characters > passwordCharactersMax) problems.push(`must be at most ${passwordCharactersMax} characters`)
  if (!password.isWellFormed() || /\p{Cc}/u.test(password))
    problems.push('must not contain control characters')
  for (const [pattern, problem] of rules) if (!pattern.test(password)) problems.push(problem)
  return problems.map((problem) => `${label} ${problem}.`)
}
