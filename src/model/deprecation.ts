/** Marks a route or a field as deprecated, and says how long it still works. */
export interface Deprecation {
  /** A date, such as 2027-01-31, from which a replacement is available. */
  readonly since: string
  /** A date until which it works without a change. */
  readonly until: string
  /** The replacement, as a sentence. */
  readonly instead: string
}

/** The policy of CONTRIBUTING.md: nothing is removed earlier than this many days after its notice. */
const noticeDays = { v1: 365, ext: 180 } as const

/** Lists the mistakes in a deprecation, a sentence each, for the developer. */
export function deprecationProblems(
  where: string,
  { since, until, instead }: Deprecation,
  edition: keyof typeof noticeDays,
): string[] {
  const [from, end] = [since, until].map(startOfDay) as [number, number]
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

/** After `until`, everything with this deprecation may be removed. */
export const describeDeprecation = ({ since, until, instead }: Deprecation): string =>
  `Deprecated since ${since}, and gone after ${until}. ${instead}`

/** Milliseconds since 1970. */
export const startOfDay = (date: string): number =>
  /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
