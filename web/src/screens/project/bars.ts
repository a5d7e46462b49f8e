import type { RecordOf } from '../../api/api.ts'
import { dayOf, daysBetween } from '../../time/days.ts'

type Assignment = RecordOf<'assignment'>

/** An assignment as a bar over days. Bars that overlap are in different lines. */
export interface Bar {
  readonly row: Assignment
  readonly line: number
  /** The index of the first and last visible day, from 0. */
  readonly first: number
  readonly last: number
  readonly beginsBefore: boolean
  readonly endsAfter: boolean
  /** The place of the name: within the bar, or next to it if the bar is too short. On phones, it is above all bars. */
  readonly namePlace: NamePlace
  /** The number of days that a name next to or above its bar may cover. */
  readonly nameRoom: number
  /** The first and last day that the bar and a name next to it cover. */
  readonly covered: Days
}

interface Days {
  readonly first: number
  readonly last: number
}

type NamePlace = 'within' | 'before' | 'after' | 'above' | 'above-end'

interface BarOptions {
  /** Returns the number of days that the name needs within its bar, also in part, and next to it. */
  nameDaysOf?(row: Assignment): { readonly within: number; readonly outside: number }
  /** Rows with a lower rank come first, in the upper lines. */
  rankOf?(row: Assignment): number
}

/**
 * Returns the bars of all assignments that touch the `dayCount` days from `from` on, sorted by rank and first
 * visible day. Of bars with the same first day, longer ones come first.
 */
export function barsOf(
  rows: readonly Assignment[],
  from: string,
  dayCount: number,
  { nameDaysOf = () => ({ within: 0, outside: 0 }), rankOf = () => 0 }: BarOptions = {},
): Bar[] {
  const spans = spansOf(rows, from, dayCount, rankOf)
  const lines: Days[][] = []
  const bars = spans.map((span) => {
    const { first, last } = span
    const nameDays = nameDaysOf(span.row)
    const namePlace = namePlaceOf(first, last, nameDays, dayCount)
    const covered: Days = {
      first: namePlace === 'before' ? Math.max(0, first - nameDays.outside) : first,
      last: namePlace === 'after' ? Math.min(dayCount - 1, last + nameDays.outside) : last,
    }
    const isFree = (line: (typeof lines)[number]) =>
      line.every((other) => other.last < covered.first || other.first > covered.last)
    const freeLine = lines.findIndex(isFree)
    const line = freeLine === -1 ? lines.push([]) - 1 : freeLine
    lines[line]?.push(covered)
    return { ...span, line, namePlace, covered }
  })
  return bars.map((bar) => ({ ...bar, nameRoom: nameRoomOf(bar, lines[bar.line] ?? [], dayCount) }))
}

/** Returns the bars for phones, each on its own line, with its name above it. */
export const stackedBarsOf = (
  rows: readonly Assignment[],
  from: string,
  dayCount: number,
  nameDaysOf: NonNullable<BarOptions['nameDaysOf']>,
): Bar[] =>
  spansOf(rows, from, dayCount, () => 0).map((span, line) => {
    const [after, before] = [dayCount - span.first, span.last + 1]
    const isAtStart = after >= before || after >= nameDaysOf(span.row).outside
    return {
      ...span,
      line,
      covered: span,
      namePlace: isAtStart ? 'above' : 'above-end',
      nameRoom: isAtStart ? after : before,
    }
  })

type Span = Pick<Bar, 'row' | 'first' | 'last' | 'beginsBefore' | 'endsAfter'>

/** Returns the visible days of all assignments that have visible days, in the order of their lines. */
function spansOf(
  rows: readonly Assignment[],
  from: string,
  dayCount: number,
  rankOf: (row: Assignment) => number,
): Span[] {
  const spans = rows.flatMap((row) => {
    const first = daysBetween(from, dayOf(row.startDate))
    const last = Math.max(first, daysBetween(from, dayOf(row.endDate)))
    return last < 0 || first >= dayCount ? [] : [{ row, first, last, rank: rankOf(row) }]
  })
  spans.sort(
    (a, b) =>
      a.rank - b.rank ||
      Math.max(0, a.first) - Math.max(0, b.first) ||
      b.last - a.last ||
      (a.row.id < b.row.id ? -1 : 1),
  )
  return spans.map(({ row, first, last }) => ({
    row,
    first: Math.max(0, first),
    last: Math.min(last, dayCount - 1),
    beginsBefore: first < 0,
    endsAfter: last >= dayCount,
  }))
}

/** Counts the days from a bar to the next one in its line, or to the edge, on the side of its name. */
function nameRoomOf(
  { first, last, namePlace }: Pick<Bar, 'first' | 'last' | 'namePlace'>,
  occupied: readonly Days[],
  dayCount: number,
): number {
  if (namePlace === 'after') {
    const starts = occupied.flatMap((other) => (other.first > last ? [other.first] : []))
    return Math.min(dayCount, ...starts) - last - 1
  }
  const ends = occupied.flatMap((other) => (other.last < first ? [other.last] : []))
  return namePlace === 'before' ? first - Math.max(-1, ...ends) - 1 : 0
}

/**
 * A name is in its bar or after it, wherever it first fits, or cut in a bar with room for most of it. Only then may it be
 * before the bar. A name that fits nowhere is cut in its bar, unless it has more than twice the room next to it.
 */
function namePlaceOf(
  first: number,
  last: number,
  { within, outside }: ReturnType<NonNullable<BarOptions['nameDaysOf']>>,
  dayCount: number,
): NamePlace {
  const [length, after] = [last - first + 1, dayCount - last - 1]
  if (length >= within) return 'within'
  if (after >= outside) return 'after'
  if (length >= mostOfName * within) return 'within'
  if (first >= outside) return 'before'
  if (2 * length >= Math.max(after, first)) return 'within'
  return after >= first ? 'after' : 'before'
}

/** The share of a name that is read as the whole name. */
const mostOfName = 0.8

/** The bars of a week that are drawn, and those that buttons such as "2 more" show. */
interface FittedBars {
  readonly shown: readonly Bar[]
  readonly hidden: readonly Bar[]
}

/**
 * Fits the bars of each week of a month into its lines. While a week hides a bar of the viewer, all weeks hide the
 * bars of other people.
 */
export function fitBars(
  weeks: readonly (readonly Bar[])[],
  lineCounts: readonly number[],
  isOwn: (row: Assignment) => boolean,
): readonly FittedBars[] {
  const fitAll = (hides: (row: Assignment) => boolean) =>
    weeks.map((bars, week) => fitWeek(bars, lineCounts[week] ?? 0, hides))
  const fitted = fitAll(() => false)
  const hidesOwn = fitted.some(({ hidden }) => hidden.some(({ row }) => isOwn(row)))
  return hidesOwn ? fitAll((row) => !isOwn(row)) : fitted
}

/** Fits bars into lines. A single hidden bar is shown instead of its button, which would be in the last line. */
function fitWeek(bars: readonly Bar[], lineCount: number, hides: (row: Assignment) => boolean): FittedBars {
  const lastLine = lineCount - 1
  const isBelow = ({ line }: Bar) => line >= lastLine
  const hidden = new Set(bars.filter(({ row }) => hides(row)))
  const isHiddenBy = (bar: Bar, other: Bar) => {
    if (bar === other || bar.first > other.last || bar.last < other.first) return false
    return isBelow(bar) && (isBelow(other) || hidden.has(other))
  }
  // A bar that gets hidden needs a button in the last line, and may so hide further bars.
  for (let count = -1; count < hidden.size; ) {
    count = hidden.size
    for (const bar of bars) if (bars.some((other) => isHiddenBy(bar, other))) hidden.add(bar)
  }
  return {
    shown: bars.flatMap((bar) => (hidden.has(bar) ? [] : [{ ...bar, line: Math.min(bar.line, lastLine) }])),
    hidden: bars.filter((bar) => hidden.has(bar)),
  }
}

/** The edges of a bar in pixels, in reading direction, and the lane or week that contains it. */
export interface BarBox {
  readonly lane: unknown
  readonly start: number
  readonly end: number
  readonly top: number
  readonly bottom: number
}

const dayKeys: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/**
 * Returns the bar that an arrow key leads to: the previous or next one of the lane by its first day, or the nearest one
 * above or below. No lane with bars is skipped, because a bar far to the side would be unreachable.
 */
export function nextBar<Box extends BarBox>(boxes: readonly Box[], from: Box, key: string): Box | undefined {
  const dayStep = dayKeys[key]
  if (dayStep !== undefined) {
    const byDay = boxes
      .filter(({ lane }) => lane === from.lane)
      .sort((a, b) => a.start - b.start || a.top - b.top)
    return byDay[byDay.indexOf(from) + dayStep]
  }
  const heightTo = {
    ArrowUp: ({ bottom }: Box) => from.top - bottom,
    ArrowDown: ({ top }: Box) => top - from.bottom,
  }[key]
  if (heightTo === undefined) return undefined
  const beyond = boxes.filter((box) => heightTo(box) >= 0).sort((a, b) => heightTo(a) - heightTo(b))
  const nextLane = beyond.find(({ lane }) => lane !== from.lane)?.lane
  const gapTo = (box: Box) => heightTo(box) + Math.max(0, box.start - from.end, from.start - box.end)
  const shiftTo = (box: Box) => Math.abs(box.start - from.start)
  return beyond
    .filter(({ lane }) => lane === from.lane || lane === nextLane)
    .sort((a, b) => gapTo(a) - gapTo(b) || shiftTo(a) - shiftTo(b))[0]
}

/** The lines that the bars of a week need: those of the viewer with a button for the others, and all. */
interface NeededLines {
  readonly own: number
  readonly all: number
}

export function neededLines(bars: readonly Bar[], isOwn: (row: Assignment) => boolean): NeededLines {
  const linesOf = (some: readonly Bar[]) => Math.max(0, ...some.map(({ line }) => line + 1))
  const all = linesOf(bars)
  return { own: Math.min(all, linesOf(bars.filter(({ row }) => isOwn(row))) + 1), all }
}

/**
 * Distributes the lines that fit into a month over its weeks, or `minimum` lines for each week, if that is more. Each
 * line goes to the week with the fewest lines that hides bars of the viewer, or else any bars. A week with bars has at
 * least one line, for a button.
 */
export function shareLines(weeks: readonly NeededLines[], capacity: number, minimum: number): number[] {
  const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)
  const lines = weeks.map(({ all }) => Math.min(all, 1))
  let spare = Math.max(capacity, sumOf(weeks.map(({ all }) => Math.min(all, minimum)))) - sumOf(lines)
  for (const part of ['own', 'all'] as const)
    for (; spare > 0; spare -= 1) {
      const needsMore = (count: number, week: number) => count < (weeks[week]?.[part] ?? 0)
      const fewest = Math.min(...lines.filter(needsMore))
      const next = lines.findIndex((count, week) => count === fewest && needsMore(count, week))
      if (next === -1) break
      lines[next] = fewest + 1
    }
  return lines
}
