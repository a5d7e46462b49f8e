import { unreadable } from './message.ts'

/** A moment as both encodings carry it: whole seconds since 1970, and the rest of the second. */
export interface MomentParts {
  readonly seconds: number
  readonly nanoseconds: number
}

/** From the store's text, whose fraction has at most six digits. */
export function partsOf(moment: string): MomentParts {
  const fraction = moment.slice(20, -1)
  return {
    seconds: Date.parse(`${moment.slice(0, 19)}Z`) / 1000,
    nanoseconds: fraction === '' ? 0 : Number(fraction.padEnd(9, '0')),
  }
}

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
