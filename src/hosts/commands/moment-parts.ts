import { unreadable } from './message.ts'

/** A moment as both encodings carry it: whole seconds since 1970, and the rest of the second. */
export interface MomentParts {
  readonly seconds: number
  readonly nanoseconds: number
}

/** From the store's text, whose fraction has at most six digits. `Date.parse` takes ten times as long. */
export function partsOf(moment: string): MomentParts {
  const pair = (at: number) => 10 * digitAt(moment, at) + digitAt(moment, at + 1)
  const year = 100 * pair(0) + pair(2)
  // Four centuries later, because `Date.UTC` takes the year 99 for 1999.
  const later = Date.UTC(year + 400, pair(5) - 1, pair(8), pair(11), pair(14), pair(17)) / 1000
  return { seconds: later - fourCenturiesSeconds, nanoseconds: nanosecondsIn(moment) }
}

const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 0x30

function nanosecondsIn(moment: string): number {
  let nanoseconds = 0
  let unit = 100_000_000
  for (let at = 20; at < moment.length - 1; at++, unit /= 10) nanoseconds += unit * digitAt(moment, at)
  return nanoseconds
}

// As many days in every 400 years.
const fourCenturiesSeconds = 146_097 * 86_400

/** As text; digits beyond the microsecond are finer than the store. */
export function momentOf({ seconds, nanoseconds }: MomentParts): string | typeof unreadable {
  const isMoment =
    Number.isSafeInteger(seconds) &&
    seconds >= secondsMin &&
    seconds <= secondsMax &&
    nanoseconds >= 0 &&
    nanoseconds < 1e9
  if (!isMoment) return unreadable
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  const fraction = String(Math.floor(nanoseconds / 1000))
    .padStart(6, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${whole}Z` : `${whole}.${fraction}Z`
}

/** The years 1 to 9999. */
const secondsMin = -62_135_596_800
const secondsMax = 253_402_300_799
