/** Says of a route or a field that it should no longer be used, and how long it still works. */
export interface Deprecation {
  /** A date, such as 2027-01-31: from then on something else is better. */
  readonly since: string
  /** A date: until then it works as ever. */
  readonly until: string
  /** What to use, as a sentence. */
  readonly instead: string
}

/** The policy of CONTRIBUTING.md: nothing goes earlier than this many days after it was said. */
export const noticeDays = { v1: 365, ext: 180 } as const

/** What is wrong with it, a sentence each, for the developer. */
export function deprecationProblems(
  where: string,
  { since, until, instead }: Deprecation,
  edition: keyof typeof noticeDays,
): string[] {
  const [from, end] = [since, until].map(midnightOf) as [number, number]
  if (Number.isNaN(from) || Number.isNaN(end))
    return [`${where}: a deprecation has two dates, such as 2027-01-31, not ${since} and ${until}.`]
  const days = noticeDays[edition]
  return [
    ...(end - from < days * 86_400_000
      ? [
          `${where}: what is deprecated since ${since} works for ${days} days more, and ${until} is too early.`,
        ]
      : []),
    ...(instead.trim() === '' ? [`${where}: a deprecation says what to use instead.`] : []),
  ]
}

/** At its end everything with this deprecation may be gone. */
export const describeDeprecation = ({ since, until, instead }: Deprecation): string =>
  `Deprecated since ${since}, and gone after ${until}. ${instead}`

/** Milliseconds since 1970. */
export const midnightOf = (date: string): number =>
  /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
