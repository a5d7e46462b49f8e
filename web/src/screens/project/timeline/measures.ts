import { useLayoutEffect, useState } from 'preact/hooks'
import { useMedia } from '../../../ui/use-media.ts'

/**
 * Heights and widths in rem, from which the place of every bar is calculated, because most lanes are not
 * rendered. The style sheet gets the same numbers, as custom properties.
 */
export const laneRem = {
  /** The names next to the lanes on wide screens. */
  names: 11,
  /** The name above a lane on narrow screens. */
  head: 2.5,
  /** The hours above the bars. */
  hours: 1.75,
  /** A bar with the space around it. */
  bar: 2,
  /** The least height of the bars with the hours. */
  least: 4.5,
  /** Below the last bar. */
  below: 0.5,
} as const

/** The space between bars of adjacent days, in pixels. */
export const barMargin = 3

export const laneProperties: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(laneRem).map(([name, rem]) => [`--lane-${name}`, `${rem}rem`])),
  '--bar-margin': `${barMargin}px`,
}

export const trackRemOf = (lineCount: number): number =>
  Math.max(laneRem.least, laneRem.hours + lineCount * laneRem.bar + laneRem.below)

export type Measures = ReturnType<typeof useMeasures>

/** Returns where the days begin. */
export const startOf = ({ remPixels, isNarrow }: Measures): number =>
  isNarrow ? 0 : laneRem.names * remPixels

/** Measures the width of a day, which depends on the window, and the size of letters, on which heights depend. */
export function useMeasures(scale: { readonly current: HTMLElement | null }, dayCount: number) {
  const isNarrow = useMedia('(max-width: 760px)')
  const [width, setWidth] = useState(innerWidth)
  useLayoutEffect(() => {
    const measure = () => setWidth(scale.current?.offsetWidth || innerWidth)
    measure()
    const observer = new ResizeObserver(measure)
    if (scale.current !== null) observer.observe(scale.current)
    return () => observer.disconnect()
  }, [])
  const remPixels = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return { dayPixels: width / dayCount, remPixels, isNarrow }
}
