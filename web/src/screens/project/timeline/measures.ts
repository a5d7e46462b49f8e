import { useLayoutEffect, useState } from 'preact/hooks'
import { useMedia } from '../../../ui/use-media.ts'

/**
 * Heights and widths in rem. The position of every bar is calculated from them, because most lanes are not
 * rendered. The style sheet uses them as custom properties.
 */
const wideRem = {
  /** The width of the column of names on wide screens. */
  names: 11,
  /** The height of the name above a lane on narrow screens. */
  head: 2.5,
  /** The height of the hours above the bars. */
  hours: 1.75,
  /** The height of a bar with the space around it. */
  bar: 2,
  /** The minimum height of the hours and the bars together. */
  least: 4.5,
  /** The space below the last bar. */
  below: 0.5,
} as const

type LaneRem = Readonly<Record<keyof typeof wideRem, number>>

/** On phones, a line has the name of an assignment above its slim bar. */
const phoneRem: LaneRem = { ...wideRem, head: 2, bar: 2.25 }

/** The space between a bar and the edges of its first and last day. */
export const barMarginPixels = 3

export const lanePropertiesOf = (laneRem: LaneRem): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(laneRem).map(([name, rem]) => [`--lane-${name}`, `${rem}rem`])),
  '--bar-margin': `${barMarginPixels}px`,
})

/** Returns the height of a lane without its name. */
export const trackRemOf = (lineCount: number, { least, hours, bar, below }: LaneRem): number =>
  Math.max(least, hours + lineCount * bar + below)

export type Measures = ReturnType<typeof useMeasures>

/** Returns the distance from the edge of the timeline to its first day, in pixels. */
export const startPixelsOf = ({ remPixels, laneRem, isNarrow }: Measures): number =>
  isNarrow ? 0 : laneRem.names * remPixels

/** Measures the width of a day and of a rem, in pixels, and returns the lane sizes for this window. */
export function useMeasures(scale: { readonly current: HTMLElement | null }, dayCount: number) {
  // The style sheet puts names above lanes at the same width.
  const isNarrow = useMedia('(max-width: 760px)')
  const isPhone = useMedia('(max-width: 640px)')
  const [width, setWidth] = useState(innerWidth)
  useLayoutEffect(() => {
    const measure = () => setWidth(scale.current?.offsetWidth || innerWidth)
    measure()
    const observer = new ResizeObserver(measure)
    if (scale.current !== null) observer.observe(scale.current)
    return () => observer.disconnect()
  }, [])
  const remPixels = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return { dayPixels: width / dayCount, remPixels, laneRem: isPhone ? phoneRem : wideRem, isNarrow, isPhone }
}
