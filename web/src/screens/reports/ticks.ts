const lineCountTarget = 4

/** Returns the grid lines of a chart: round numbers, from 0 to the first that is not less than `max`. */
export function ticksFor(max: number): readonly number[] {
  const roughStep = Math.max(max, 1) / lineCountTarget
  const power = 10 ** Math.floor(Math.log10(roughStep))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= roughStep) ?? 10) * power
  const count = Math.ceil(Math.max(max, 1) / step)
  return Array.from({ length: count + 1 }, (_, index) => Math.round(index * step * 100) / 100)
}
